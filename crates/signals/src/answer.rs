//! What a terminal answers to the questions about status that a client asks it
//! ([`crate::program_status::query`], [`crate::notification::query_support`]).
//!
//! ```text
//! OSC 7501 ; ? [: states=… : kinds=…] ST     it understands program status
//! OSC 99 ; i=… : p=? ; p=… : … ST            it shows notifications of kitty's kind
//! ```

/// An answer, with what the terminal says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer<'a> {
    /// OSC 7501: what follows `?` and a colon.
    ProgramStatus(&'a str),
    /// OSC 99: the payload of the answer to `p=?`.
    Notifications(&'a str),
}

/// Reads the body of an OSC, from its number on.
///
/// ```
/// use signals::answer::{Answer, answer_of};
///
/// let said = answer_of("7501;?:states=idle,done");
/// assert_eq!(said, Some(Answer::ProgramStatus("states=idle,done")));
/// ```
pub fn answer_of(body: &str) -> Option<Answer<'_>> {
    let (number, rest) = body.split_once(';')?;
    match number {
        "7501" => {
            let said = rest.trim_start_matches([' ', '\t']).strip_prefix('?')?;
            Some(Answer::ProgramStatus(said.trim_start_matches(':')))
        }
        "99" => {
            let (metadata, payload) = rest.split_once(';').unwrap_or((rest, ""));
            let supports = metadata.split(':').any(|pair| pair == "p=?");
            supports.then_some(Answer::Notifications(payload))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_question_mark_is_an_answer_and_spaces_before_it_are_allowed() {
        assert_eq!(answer_of("7501;?"), Some(Answer::ProgramStatus("")));
        assert_eq!(
            answer_of("7501; \t?:kinds=auth"),
            Some(Answer::ProgramStatus("kinds=auth"))
        );
        assert_eq!(answer_of("7501;state=idle"), None);
    }

    #[test]
    fn support_for_notifications_stands_in_the_metadata() {
        let said = answer_of("99;i=wigwag:p=?;p=title,body:o=always");
        assert_eq!(said, Some(Answer::Notifications("p=title,body:o=always")));
        assert_eq!(answer_of("99;p=?"), Some(Answer::Notifications("")));
        assert_eq!(answer_of("99;i=1;p=?"), None, "that is a text");
        assert_eq!(answer_of("9;p=?"), None);
    }
}
