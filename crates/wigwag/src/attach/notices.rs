//! Notifications about other terminals, in the words of the outer terminal.

use holder::protocol::WindowNotice;
use signals::Notification;
use signals::dialect::Dialect;

/// What shows it, replaces the one that stands, or withdraws it.
pub(super) fn bytes(notice: &WindowNotice, dialect: Dialect) -> Vec<u8> {
    let Some(title) = &notice.title else {
        return dialect.withdraw(&notice.id);
    };
    let notification = Notification {
        title: Some(title.clone()),
        body: notice.body.clone().unwrap_or_default(),
        id: Some(notice.id.clone()),
    };
    dialect.show(&notification, notice.silent)
}
