// SPDX-License-Identifier: MIT
//! Profiles for Pyroscope: its HTTP API takes pprof at /ingest.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);
const BOUNDARY: &str = "sigzero-6f1c2a90d4b84e53";

/// How Pyroscope is to show the two values of a sample.
const SAMPLE_TYPES: &str = r#"{"calls":{"units":"count","aggregation":"sum","display-name":"signal system calls","sampled":false},"time":{"units":"nanoseconds","aggregation":"sum","display-name":"time in signal system calls (estimated)","sampled":false}}"#;

/// `http://host:port/path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    pub host: String,
    pub port: u16,
    /// Without a slash at its end.
    pub path: String,
}

impl Url {
    pub fn parse(text: &str) -> Result<Self, String> {
        let rest =
            text.strip_prefix("http://").ok_or_else(|| match text.starts_with("https://") {
                true => {
                    "https is not spoken here: send to a proxy or agent on this machine".to_string()
                }
                false => "give an address such as http://127.0.0.1:4040".to_string(),
            })?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                (host, port.parse().map_err(|_| format!("{port} is no port"))?)
            }
            _ => (authority, 80),
        };
        let allowed = |c: char| c.is_ascii_graphic() && !"?#".contains(c);
        if host.is_empty() || !host.chars().all(allowed) || !path.chars().all(allowed) {
            return Err("give an address such as http://127.0.0.1:4040".into());
        }
        let path = path.trim_end_matches('/');
        let path = if path.is_empty() { String::new() } else { format!("/{path}") };
        Ok(Self { host: host.into(), port, path })
    }
}

/// What was counted between two times, in seconds since 1970.
pub struct Profile<'a> {
    /// As pprof reads it, compressed.
    pub pprof: &'a [u8],
    pub name: &'a str,
    pub from: u64,
    pub until: u64,
}

/// Sends it; the error says what the server said.
pub fn send(url: &Url, profile: &Profile) -> Result<(), String> {
    let said = post(url, &request(url, profile))
        .map_err(|error| format!("http://{}:{}{}/ingest: {error}", url.host, url.port, url.path))?;
    let status = said.split(' ').nth(1).unwrap_or_default();
    if status.starts_with('2') {
        return Ok(());
    }
    let line = said.lines().next().unwrap_or("no answer");
    Err(format!("http://{}:{}{}/ingest said: {line}", url.host, url.port, url.path))
}

fn request(url: &Url, profile: &Profile) -> Vec<u8> {
    let mut body = Vec::new();
    let mut part = |name: &str, file: &str, kind: &str, bytes: &[u8]| {
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\n\
             Content-Type: {kind}\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    };
    part("profile", "profile.pprof", "application/octet-stream", profile.pprof);
    part(
        "sample_type_config",
        "sample_type_config.json",
        "application/json",
        SAMPLE_TYPES.as_bytes(),
    );
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    let head = format!(
        "POST {}/ingest?name={}&from={}&until={}&format=pprof&spyName=sigzero HTTP/1.1\r\n\
         Host: {}:{}\r\nContent-Type: multipart/form-data; boundary={BOUNDARY}\r\n\
         Content-Length: {}\r\nUser-Agent: sigzero\r\nConnection: close\r\n\r\n",
        url.path,
        escaped(profile.name),
        profile.from,
        profile.until,
        url.host,
        url.port,
        body.len()
    );
    [head.into_bytes(), body].concat()
}

fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn post(url: &Url, request: &[u8]) -> io::Result<String> {
    let host = url.host.trim_start_matches('[').trim_end_matches(']');
    let mut last = io::Error::other("the name has no address");
    for address in (host, url.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return exchange(stream, request),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn exchange(mut stream: TcpStream, request: &[u8]) -> io::Result<String> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(request)?;
    let mut answer = Vec::new();
    // The first line is enough.
    stream.take(4096).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let url = Url::parse("http://127.0.0.1:4040").unwrap();
        assert_eq!((url.host.as_str(), url.port, url.path.as_str()), ("127.0.0.1", 4040, ""));
        let url = Url::parse("http://pyroscope.example/sub/").unwrap();
        assert_eq!((url.port, url.path.as_str()), (80, "/sub"));
        assert_eq!(Url::parse("http://[::1]:4040").unwrap().host, "[::1]");
        assert!(Url::parse("https://x").unwrap_err().contains("https"));
        for wrong in ["x", "http://", "http://x:y", "http://x/\r\nEvil: 1", "http://x y"] {
            assert!(Url::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_request_has_all_that_pyroscope_asks_for() {
        let url = Url::parse("http://h:1/sub").unwrap();
        let profile =
            Profile { pprof: b"\x1f\x8bxyz", name: "sigzero{host=a b}", from: 10, until: 20 };
        let bytes = request(&url, &profile);
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with(
            "POST /sub/ingest?name=sigzero%7Bhost%3Da%20b%7D&from=10&until=20&format=pprof"
        ));
        let body = text.split_once("\r\n\r\n").unwrap().1;
        assert!(body.ends_with(&format!("--{BOUNDARY}--\r\n")));
        assert!(text.contains("name=\"profile\"") && text.contains("name=\"sample_type_config\""));
        let at = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let length = format!("Content-Length: {}\r\n", bytes.len() - at - 4);
        assert!(text.contains(&length), "{length}");
    }
}
