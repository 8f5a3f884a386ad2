//! How fast is a plain reqwest loop?

use std::error::Error;

use canvass_bench_peers::{Haul, Urls};
use tokio::task::JoinSet;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (urls, connections) = Urls::from_args()?;
    // the environment's proxy would measure the proxy
    let client = reqwest::Client::builder().no_proxy().build()?;
    let mut tasks = JoinSet::new();
    for _ in 0..connections {
        let (client, urls) = (client.clone(), urls.clone());
        tasks.spawn(async move {
            let mut haul = Haul::default();
            while let Some(url) = urls.next() {
                let response = client.get(&url).send().await?.error_for_status()?;
                haul.add(response.bytes().await?.len());
            }
            Ok::<_, reqwest::Error>(haul)
        });
    }
    let mut all = Haul::default();
    while let Some(haul) = tasks.join_next().await {
        all.merge(haul??);
    }
    println!("{}", all.to_json());
    Ok(())
}
