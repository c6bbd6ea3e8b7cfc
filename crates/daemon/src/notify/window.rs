//! The window of somebody attached: the holder of the terminal that it shows passes the notification
//! on, and the client writes it in the words that its outer terminal knows.

use super::channel::{Channel, Delivered, Delivery, Place, Telling, Undelivered, body, title};
use crate::service::Service;
use holder::protocol::WindowNotice;
use status::notifier::{Subject, Surface};
use std::fmt;
use std::sync::{Arc, Weak};

/// All windows.
pub(crate) struct Windows(Weak<Service>);

impl fmt::Debug for Windows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("windows")
    }
}

impl Windows {
    pub(crate) fn new(service: &Arc<Service>) -> Self {
        Self(Arc::downgrade(service))
    }

    async fn tell(&self, on: &Surface, notice: WindowNotice) -> Result<(), Undelivered> {
        let Surface::Window { terminal, client } = on else {
            return Err(Undelivered::never("that is no window"));
        };
        let Some(service) = self.0.upgrade() else {
            return Err(Undelivered::never("the daemon ends"));
        };
        // A window that is gone does not come back: whoever was there is told elsewhere, since they are
        // present there no longer.
        let told = service.tell_window(terminal, *client, notice).await;
        told.map_err(Undelivered::never)
    }
}

impl Channel for Windows {
    fn show<'a>(&'a self, telling: &'a Telling) -> Delivery<'a> {
        Box::pin(async move {
            let notice = WindowNotice {
                id: id(&telling.notice.subject),
                title: Some(title(&telling.notice)),
                body: body(&telling.notice),
                silent: telling.silent,
            };
            self.tell(&telling.on, notice).await?;
            Ok(Delivered::said("shown in the window of an attached client"))
        })
    }

    fn withdraw<'a>(&'a self, (subject, on): &'a Place, _: Option<&'a str>) -> Delivery<'a> {
        Box::pin(async move {
            let notice = WindowNotice {
                id: id(subject),
                ..WindowNotice::default()
            };
            // Where the window is gone, so is what it showed.
            let _ = self.tell(on, notice).await;
            Ok(Delivered::said("taken away from the window"))
        })
    }
}

fn id(subject: &Subject) -> String {
    match subject {
        Subject::Terminal(id) => format!("wigwag-{id}"),
        Subject::Fold => "wigwag".to_owned(),
    }
}
