//! What programs may say to be shown elsewhere.

use crate::bus::{Bus, Server};
use crate::web_server::WebServer;
use crate::world::World;

#[test]
fn markup_newlines_overrides_and_much_text_are_safe_on_every_channel() {
    let world = World::new();
    let bus = Bus::start(world.path());
    world.set("DBUS_SESSION_BUS_ADDRESS", &bus.address);
    let desktop = Server::start(&bus);
    let web = WebServer::start(true);
    world.configure(&format!(
        "[notify.ntfy]\nurl = '{}'\ntopic = 'mine'\n[notify.command]\nrun = ['sh', '-c', 'cat > {}']\n",
        web.url,
        world.path().join("told").display()
    ));
    // U+202E is 342 200 256.
    let script = "much=$(head -c 4096 /dev/zero | tr '\\0' x); \
                  printf '\\033]777;notify;<i>t</i>;<b>a</b> & \\342\\200\\256b\\nc %s\\033\\\\' $much; exec cat";
    world.ok(&["new", "log", "-d", "--", "sh", "-c", script]);
    let shown = desktop.notified(0);
    assert_eq!(shown.summary, "log: needs attention");
    let said = &shown.body;
    assert!(said.contains("&lt;b&gt;a&lt;/b&gt; &amp; b"), "{said}");
    assert!(
        !said.contains(['<', '\n', '\u{202e}']) && said.len() < 4096,
        "{said}"
    );
    let sent = web.asked(0);
    let said = sent.body["message"].as_str().unwrap();
    assert!(said.contains("<b>a</b> & b"), "{said}");
    assert!(
        !said.contains(['\n', '\u{202e}']) && said.len() < 4096,
        "{said}"
    );
    world.until_delivered("command");
    let told = world.told();
    assert_eq!(told[0]["body"].as_str().unwrap(), said);
}
