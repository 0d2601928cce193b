// SPDX-License-Identifier: MIT
//! The report as one page that loads nothing: style, script and data are in it.

mod before_after;
pub(crate) mod callers;
mod flame;
mod how;
mod next;
mod summary;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::View;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");

/// Nothing may be fetched from anywhere, even if some name in the data were mistaken for markup.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      base-uri 'none'; form-action 'none'";

pub fn page(view: &View) -> String {
    let subject = view.subject();
    let body = html! {
        (summary::section(view, &subject))
        (before_after::section(view))
        (callers::section(view))
        (flame::section(view))
        (next::section(view))
        (how::section(view))
    };
    frame(&subject, body)
}

/// What every page of ours has around it.
pub(crate) fn frame(title: &str, body: Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " – sigzero report" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main { (body) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// JSON that can stand in a script element: nothing in it can end that.
pub(crate) fn data(json: &str) -> PreEscaped<String> {
    PreEscaped(json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026"))
}

#[cfg(test)]
mod tests;
