//! How fast does the spider crate fetch pages from a list?
//!
//! Its own `Page`, over the client that its `Website` would use, one page for each URL: the fastest way that it has.
//! Following links costs it more, and a list needs none.

use std::error::Error;

use canvass_bench_peers::{Haul, Urls};
use spider::{page::Page, utils::connect::init_background_runtime, website::Website};
use tokio::task::JoinSet;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (urls, connections) = Urls::from_args()?;
    // as a crawl of its own begins; without it no connection is made
    init_background_runtime();
    let client = Website::new("http://127.0.0.1/").configure_http_client();
    let mut tasks = JoinSet::new();
    for _ in 0..connections {
        let (client, urls) = (client.clone(), urls.clone());
        tasks.spawn(async move {
            let mut haul = Haul::default();
            while let Some(url) = urls.next() {
                let page = Page::new_page(&url, &client).await;
                if page.status_code.is_success() {
                    haul.add(page.get_html_bytes_u8().len());
                }
            }
            haul
        });
    }
    let mut all = Haul::default();
    while let Some(haul) = tasks.join_next().await {
        all.merge(haul?);
    }
    println!("{}", all.to_json());
    Ok(())
}
