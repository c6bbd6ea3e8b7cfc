//! OSC 7501, revision 0.4: parser, encoder, query.

use crate::{Clear, Report, Terminator};

/// The sequence that sends `report`, BEL or ESC `\` at its end; `Err` names the limit it breaks.
pub fn encode(report: &Report, terminator: Terminator) -> Result<Vec<u8>, EncodeError> {
    let _ = (report, terminator);
    todo!()
}

/// The sequence that clears a record.
pub fn encode_clear(clear: &Clear, terminator: Terminator) -> Result<Vec<u8>, EncodeError> {
    let _ = (clear, terminator);
    todo!()
}

/// The question `OSC 7501 ; ?`.
pub fn query(terminator: Terminator) -> &'static [u8] {
    let _ = terminator;
    todo!()
}

/// The one answer to the question.
pub fn answer(terminator: Terminator) -> &'static [u8] {
    let _ = terminator;
    todo!()
}

/// Why a report cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct EncodeError {
    /// The field.
    pub field: &'static str,
    /// What is wrong with it, ending where the user can act.
    pub problem: String,
}
