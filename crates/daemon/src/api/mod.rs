//! The HTTP API (interfaces.md, HTTP API): its shapes here, one file a resource beside it.

mod shapes;

pub use shapes::{
    AckBody, CaptureQuery, ClearBody, CreateBody, Created, Done, ErrorBody, ErrorDetail, Health,
    InputBody, PatchBody, SignalBody, SizeBody, Warning,
};
