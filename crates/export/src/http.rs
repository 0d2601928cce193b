// SPDX-License-Identifier: MIT
//! The little of HTTP that a reader of metrics needs.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::text::Format;

const HEAD: usize = 8192;
const PATIENCE: Duration = Duration::from_secs(5);
/// How long what was sent needlessly is taken, so that the answer is not lost with it.
const FAREWELL: Duration = Duration::from_millis(50);
/// Readers at once; more are turned away.
const READERS: usize = 16;

const PAGE: &str = "sigzero export: the metrics are at /metrics\n";

/// One reader that waits for the metrics.
pub struct Request {
    pub format: Format,
    reply: Sender<String>,
}

impl Request {
    /// A reader that went away is no failure.
    pub fn answer(self, text: String) {
        let _ = self.reply.send(text);
    }
}

/// Listens, and hands requests for metrics to whoever has the numbers.
pub struct Server {
    address: SocketAddr,
    requests: Receiver<Request>,
}

impl Server {
    pub fn start(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let (ask, requests) = channel();
        thread::Builder::new().name("export".into()).spawn(move || accept(&listener, &ask))?;
        Ok(Self { address, requests })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Those that wait now.
    pub fn requests(&self) -> impl Iterator<Item = Request> {
        self.requests.try_iter()
    }
}

fn accept(listener: &TcpListener, ask: &Sender<Request>) {
    let readers = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Too many open files, say: not to be asked again at once.
            thread::sleep(Duration::from_millis(100));
            continue;
        };
        if readers.fetch_add(1, Ordering::Relaxed) >= READERS {
            readers.fetch_sub(1, Ordering::Relaxed);
            // It may have sent half of its request only; while we wait, others are done.
            let _ = respond(&stream, "503 Service Unavailable", "text/plain", "busy\n", true);
            let _ = farewell(&stream);
            continue;
        }
        let (ask, ours) = (ask.clone(), Arc::clone(&readers));
        let served = thread::Builder::new().spawn(move || {
            let _ = serve(&stream, &ask);
            ours.fetch_sub(1, Ordering::Relaxed);
        });
        if served.is_err() {
            readers.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn serve(stream: &TcpStream, ask: &Sender<Request>) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let Some(head) = head(stream)? else {
        respond(stream, "431 Request Header Fields Too Large", "text/plain", "", false)?;
        return farewell(stream);
    };
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !words.next().is_some_and(|version| version.starts_with("HTTP/1.")) {
        return respond(stream, "400 Bad Request", "text/plain", "not HTTP/1\n", false);
    }
    let body = match method {
        "GET" => true,
        "HEAD" => false,
        _ => return respond(stream, "405 Method Not Allowed", "text/plain", "", false),
    };
    match target.split('?').next() {
        Some("/metrics") => {
            let format = Format::accepted_by(header(lines, "accept").unwrap_or_default());
            let (reply, answer) = channel();
            let sent = ask.send(Request { format, reply }).is_ok();
            match sent.then(|| answer.recv_timeout(PATIENCE)) {
                Some(Ok(text)) => respond(stream, "200 OK", format.content_type(), &text, body),
                _ => respond(stream, "503 Service Unavailable", "text/plain", "no numbers\n", body),
            }
        }
        Some("/") => respond(stream, "200 OK", "text/plain; charset=utf-8", PAGE, body),
        _ => respond(stream, "404 Not Found", "text/plain; charset=utf-8", PAGE, body),
    }
}

/// Up to the empty line; `None` if it is too long. However slowly it comes, the place is not kept for
/// longer than our patience.
fn head(mut stream: &TcpStream) -> io::Result<Option<String>> {
    let end = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let mut part = [0; 1024];
    while !bytes.windows(4).any(|four| four == b"\r\n\r\n") {
        if bytes.len() > HEAD {
            return Ok(None);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut part)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => bytes.extend_from_slice(&part[..read]),
        }
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn header<'a>(lines: impl Iterator<Item = &'a str>, wanted: &str) -> Option<&'a str> {
    let mut pairs = lines.filter_map(|line| line.split_once(':'));
    pairs.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim())
}

fn respond(
    mut stream: &TcpStream,
    status: &str,
    kind: &str,
    text: &str,
    body: bool,
) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        text.len()
    );
    stream.write_all(head.as_bytes())?;
    if body {
        stream.write_all(text.as_bytes())?;
    }
    stream.flush()
}

/// Takes what still comes: a stream that is closed over unread bytes is reset, and the answer lost.
fn farewell(mut stream: &TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(FAREWELL))?;
    let end = Instant::now() + FAREWELL;
    let mut part = [0; 8192];
    while Instant::now() < end && stream.read(&mut part)? > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(server: &Server, request: &str) -> String {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        for _ in 0..100 {
            for request in server.requests() {
                request.answer("numbers\n".into());
            }
            thread::sleep(Duration::from_millis(2));
        }
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn metrics_are_served_and_nothing_else() {
        let server = Server::start("127.0.0.1:0".parse().unwrap()).unwrap();
        let accept = "Accept: application/openmetrics-text;version=1.0.0\r\n";
        let text = ask(&server, &format!("GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\n{accept}\r\n"));
        assert!(text.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text;"));
        assert!(text.contains("Content-Length: 8\r\n") && text.ends_with("\r\n\r\nnumbers\n"));
        let text = ask(&server, "GET /metrics HTTP/1.0\r\n\r\n");
        assert!(text.contains("Content-Type: text/plain; version=0.0.4"), "{text}");
        let text = ask(&server, "HEAD /metrics HTTP/1.1\r\n\r\n");
        assert!(text.contains("Content-Length: 8\r\n") && text.ends_with("\r\n\r\n"), "{text}");
        let starts = |request: &str, status: &str| {
            let text = ask(&server, request);
            assert!(text.starts_with(&format!("HTTP/1.1 {status}")), "{text}");
        };
        starts("GET / HTTP/1.1\r\n\r\n", "200");
        starts("GET /etc/passwd HTTP/1.1\r\n\r\n", "404");
        starts("POST /metrics HTTP/1.1\r\n\r\n", "405");
        starts("nonsense\r\n\r\n", "400");
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(2 * HEAD));
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let _ = stream.write_all(long.as_bytes());
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        assert_eq!(&status, b"HTTP/1.1 431");
    }

    #[test]
    fn who_is_turned_away_is_told() {
        let server = Server::start("127.0.0.1:0".parse().unwrap()).unwrap();
        let connect = || TcpStream::connect(server.address()).unwrap();
        let places: Vec<_> = (0..READERS).map(|_| connect()).collect();
        for _ in 0..20 {
            let mut stream = connect();
            let _ = stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n");
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            assert!(text.starts_with("HTTP/1.1 503") && text.ends_with("busy\n"), "{text}");
        }
        drop(places);
    }

    #[test]
    fn a_place_is_not_kept_for_a_trickle() {
        let server = Server::start("127.0.0.1:0".parse().unwrap()).unwrap();
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let end = Instant::now() + 2 * PATIENCE;
        while stream.write_all(b"x").is_ok() {
            assert!(Instant::now() < end);
            thread::sleep(Duration::from_millis(200));
        }
    }
}
