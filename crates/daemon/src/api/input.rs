//! `/v1/terminals/{id}/input`: text or keys, typed.

use super::error::ApiError;
use super::extract::Body;
use super::{Done, ErrorBody, InputBody, order};
use crate::service::Service;
use axum::Json;
use axum::extract::{Path, State};
use holder::protocol::Op;
use std::sync::Arc;

/// Types text or presses keys.
#[utoipa::path(post, path = "/v1/terminals/{id}/input", params(("id" = String, Path, description = "id or name")),
    request_body = InputBody,
    responses((status = 200, body = Done), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(super) async fn input(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    Body(body): Body<InputBody>,
) -> Result<Json<Done>, ApiError> {
    order(&service, &id, op(body)?).await
}

fn op(body: InputBody) -> Result<Op, ApiError> {
    match (body.text, body.keys) {
        (Some(text), None) => Ok(Op::Input {
            text,
            paste: body.paste,
            enter: body.enter,
        }),
        (None, Some(keys)) if !body.paste && !body.enter => Ok(Op::Keys { keys }),
        (None, None) if body.enter => Ok(Op::Keys {
            keys: vec!["Enter".to_owned()],
        }),
        _ => Err(ApiError::new(
            "usage",
            "give text (with paste and enter as wanted) or keys, not both",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_keys_together_are_refused() {
        let both = InputBody {
            text: Some("x".to_owned()),
            keys: Some(vec!["Up".to_owned()]),
            ..InputBody::default()
        };
        assert!(op(both).is_err());
        assert!(op(InputBody::default()).is_err());
    }
}
