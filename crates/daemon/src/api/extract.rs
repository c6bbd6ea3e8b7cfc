//! Bodies and queries, with their errors as JSON.

use super::MAX_BODY;
use super::error::ApiError;
use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;
    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let length = request.headers().get(CONTENT_LENGTH);
        let length = length.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if length.is_some_and(|length| length > MAX_BODY) {
            // Said before it is sent.
            return Err(ApiError::new(
                "usage",
                format!("a body is at most {MAX_BODY} bytes: send it in parts"),
            )
            .with_status(StatusCode::PAYLOAD_TOO_LARGE));
        }
        match Json::<T>::from_request(request, state).await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(rejection) => Err(wrong_body(&rejection)),
        }
    }
}

fn wrong_body(rejection: &JsonRejection) -> ApiError {
    ApiError::new("usage", rejection.body_text())
        .hint("GET /v1/openapi.json says what each request takes")
        .with_status(rejection.status())
}

/// The query of the URL.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(query)) => Ok(Self(query)),
            Err(rejection) => Err(wrong_query(&rejection)),
        }
    }
}

fn wrong_query(rejection: &QueryRejection) -> ApiError {
    ApiError::new("usage", rejection.body_text())
        .hint("GET /v1/openapi.json says what each request takes")
        .with_status(rejection.status())
}
