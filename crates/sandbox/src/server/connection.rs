//! How is HTTP/1.1 spoken, and how is it broken?

use std::{net::Ipv4Addr, sync::Arc};

use bytes::{Buf, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_rustls::server::TlsStream;

use super::{
    head::{length_of_head, read_head},
    shared::{Connection, Decision, Shared},
};
use crate::answers::{Framing, Script, Step};

/// No client that means well sends a longer head.
const MAX_HEAD_BYTES: usize = 32 << 10;
const BAD_REQUEST: &[u8] = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// A connection that can be reset.
pub(super) trait Wire: AsyncRead + AsyncWrite + Unpin + Send {
    /// Makes closing a reset: whatever was not sent yet is thrown away.
    fn reset_on_close(&self);
}

impl Wire for TcpStream {
    fn reset_on_close(&self) {
        // Without it the connection closes in the usual way, and the test that wants a reset says so.
        let _ = self.set_zero_linger();
    }
}

impl Wire for TlsStream<TcpStream> {
    fn reset_on_close(&self) {
        self.get_ref().0.reset_on_close();
    }
}

/// Answers the requests of one connection, one after the other, until either side has enough.
pub(super) async fn serve(mut wire: impl Wire, shared: Arc<Shared>, address: Ipv4Addr, https: bool) {
    let connection = shared.connection(address, https, "HTTP/1.1");
    let patience = shared.options.pace.patience;
    let mut buffer = BytesMut::with_capacity(4 << 10);
    loop {
        let Some(length) = length_of_head(&buffer) else {
            // Who speaks TLS here never ends a head, and must hear at once that nobody understands.
            if buffer.len() > MAX_HEAD_BYTES || buffer.first().is_some_and(|byte| !byte.is_ascii_uppercase())
            {
                return refuse(&mut wire).await;
            }
            match timeout(patience, wire.read_buf(&mut buffer)).await {
                Ok(Ok(1..)) => continue,
                _ => return,
            }
        };
        let goes_on = timeout(patience, answer_one(&mut wire, &buffer[..length], &shared, connection)).await;
        if !goes_on.unwrap_or(false) {
            return;
        }
        buffer.advance(length);
    }
}

/// Answers one request; whether the connection goes on.
async fn answer_one(wire: &mut impl Wire, head: &[u8], shared: &Shared, over: Connection) -> bool {
    let Some(head) = read_head(head) else {
        refuse(wire).await;
        return false;
    };
    let (bytes, last) = match shared.decide(&head, over) {
        Decision::Ready(bytes) => (bytes, head.last),
        Decision::Of(site, answer) => match answer.script {
            Script::Reply(reply) => {
                let body = shared.body_of(site, &reply);
                let last = head.last || reply.framing == Framing::UntilClose;
                (reply.to_http1(&body, head.method != "HEAD"), last)
            }
            Script::Steps(steps) => {
                // A client that leaves in the middle is what most scripts are for.
                let _ = play(wire, steps).await;
                return false;
            }
        },
    };
    if wire.write_all(&bytes).await.is_err() || wire.flush().await.is_err() {
        return false;
    }
    if last {
        let _ = wire.shutdown().await;
    }
    !last
}

/// Says that this was not a request; whether it is heard does not matter.
async fn refuse(wire: &mut impl Wire) {
    let _ = wire.write_all(BAD_REQUEST).await;
    let _ = wire.shutdown().await;
}

/// Plays a script to its end, where the connection closes.
async fn play(wire: &mut impl Wire, steps: Vec<Step>) -> std::io::Result<()> {
    for step in steps {
        match step {
            Step::Send(bytes) => wire.write_all(&bytes).await?,
            Step::Repeat(bytes, times) => {
                for _ in 0..times {
                    wire.write_all(&bytes).await?;
                }
            }
            Step::Drip { bytes, piece, every } => {
                for piece in bytes.chunks(piece.max(1)) {
                    wire.write_all(piece).await?;
                    wire.flush().await?;
                    sleep(every).await;
                }
            }
            Step::Wait(time) => {
                wire.flush().await?;
                sleep(time).await;
            }
            Step::Hang => wait_until_left(wire).await?,
            Step::Reset => {
                wire.reset_on_close();
                return Ok(());
            }
        }
        wire.flush().await?;
    }
    wire.shutdown().await
}

async fn wait_until_left(wire: &mut impl Wire) -> std::io::Result<()> {
    let mut ignored = [0; 256];
    while wire.read(&mut ignored).await? > 0 {}
    Ok(())
}
