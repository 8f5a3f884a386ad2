"""How fast does Scrapy fetch pages from a list?

usage: python pages.py URLS CONNECTIONS
Robots, throttle and delays are off; responses are decoded; every page is an item.
"""

import json
import sys

import scrapy
from scrapy.crawler import CrawlerProcess

urls_file, connections = sys.argv[1], int(sys.argv[2])
haul = {"pages": 0, "decoded_bytes": 0}


class Count:
    def process_item(self, item):
        haul["pages"] += 1
        haul["decoded_bytes"] += item["bytes"]
        return item


class Pages(scrapy.Spider):
    name = "pages"

    async def start(self):
        with open(urls_file, encoding="ascii") as urls:
            for url in urls:
                yield scrapy.Request(url.strip(), dont_filter=True)

    def parse(self, response):
        yield {"url": response.url, "bytes": len(response.body)}


process = CrawlerProcess(
    {
        "AUTOTHROTTLE_ENABLED": False,
        "COMPRESSION_ENABLED": True,
        "CONCURRENT_REQUESTS": connections,
        "CONCURRENT_REQUESTS_PER_DOMAIN": connections,
        "COOKIES_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "ITEM_PIPELINES": {Count: 100},
        "LOG_LEVEL": "ERROR",
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
    }
)
process.crawl(Pages)
process.start()
print(json.dumps(haul))
