//! BEL: an attention request.
//!
//! ```text
//! 0x07
//! ```
//!
//! Only in ground state, or inside an unfinished CSI or ESC sequence, where controls take
//! effect at once. A BEL that ends an OSC is its terminator; inside the other control
//! strings it is data. The byte itself is neither forwarded nor drawn: who hears it is
//! decided by the rules of attention.

use crate::Signal;

/// The byte, as a terminal is sent it.
pub const BEL: &[u8] = b"\x07";

/// What the byte means.
pub(crate) fn signal() -> Signal {
    Signal::Bell
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals_of;

    #[test]
    fn a_bell_in_ground_state_is_an_attention_request() {
        assert_eq!(signals_of(b"ab\x07"), [(2, Signal::Bell)]);
        assert_eq!(signals_of(BEL), [(0, Signal::Bell)]);
    }

    #[test]
    fn a_bell_that_ends_an_osc_is_none() {
        assert_eq!(
            signals_of(b"\x1b]2;x\x07"),
            [(0, Signal::Title("x".into()))]
        );
    }

    #[test]
    fn a_bell_inside_dcs_apc_pm_and_sos_is_data() {
        for introducer in ["P", "_", "^", "X"] {
            let bytes = format!("\x1b{introducer}a\x07b\x1b\\");
            assert_eq!(signals_of(bytes.as_bytes()), [], "ESC {introducer}");
        }
    }

    #[test]
    fn a_bell_inside_a_csi_rings_at_once() {
        assert_eq!(signals_of(b"\x1b[3\x071m"), [(3, Signal::Bell)]);
    }
}
