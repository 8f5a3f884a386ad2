//! In which ways can a site behave?

use std::fmt;

use serde::{Deserialize, Serialize};

/// Declares every behaviour once: its family, its stable name and the line that documents it.
macro_rules! behaviours {
    ($($family:ident { $($variant:ident = $name:literal: $doc:literal),* $(,)? })*) => {
        /// How a site of the sandbox behaves.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Behaviour { $($(#[doc = $doc] #[serde(rename = $name)] $variant,)*)* }

        /// What kind of thing a behaviour is about; one module answers for each family.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Family { $($family),* }

        impl Behaviour {
            /// Every behaviour there is, in the order in which a world takes them up.
            pub const ALL: &'static [Behaviour] = &[$($(Behaviour::$variant,)*)*];

            /// Its stable name, as the truth file carries it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($(Behaviour::$variant => $name,)*)* }
            }

            /// What it does, in one line.
            #[must_use]
            pub fn description(self) -> &'static str {
                match self { $($(Behaviour::$variant => $doc,)*)* }
            }

            pub(crate) fn family(self) -> Family {
                match self { $($(Behaviour::$variant => Family::$family,)*)* }
            }
        }
    };
}

behaviours! {
    Pages {
        StaticPlain = "static_plain": "Pages with a content length and no encoding.",
        StaticGzip = "static_gzip": "Pages in gzip for a client that takes it.",
        StaticBrotli = "static_brotli": "Pages in brotli for a client that takes it.",
        StaticZstd = "static_zstd": "Pages in zstd for a client that takes it.",
        StaticDeflate = "static_deflate": "Pages in deflate (zlib) for a client that takes it.",
        StaticChunked = "static_chunked": "Pages in chunks, without encoding.",
        StaticChunkedGzip = "static_chunked_gzip": "Pages in gzip and in chunks.",
        StaticUntilClose = "static_until_close": "Pages without a length, which end when the connection closes.",
        SpaShell = "spa_shell": "A shell of scripts that shows its text only in a browser.",
        EmptyPage = "empty_page": "200 with an empty body.",
        NoContent = "no_content": "204, which has no body.",
        NoContentType = "no_content_type": "Pages without a Content-Type header.",
        GzipInNameOnly = "gzip_in_name_only": "Pages that are declared as gzip and sent as they are.",
    }
    Charsets {
        CharsetHeader = "charset_header": "Windows-1251 text, declared in the header.",
        CharsetMeta = "charset_meta": "Shift_JIS text, declared in a meta element only.",
        CharsetHttpEquiv = "charset_http_equiv": "GBK text, declared as gb2312 in an http-equiv element only.",
        CharsetBom = "charset_bom": "UTF-8 text that says so by its byte order mark only.",
        CharsetBomBeatsHeader = "charset_bom_beats_header": "UTF-8 text with a mark, under a header that says ISO-8859-1.",
        CharsetWrong = "charset_wrong": "UTF-8 text under a header that says ISO-8859-1, which is to be believed.",
        CharsetGuess = "charset_guess": "Windows-1251 text that says nothing about its charset.",
    }
    Types {
        TypeImage = "type_image": "An image, which is not ours to keep.",
        TypePdf = "type_pdf": "A PDF, which is not ours to keep.",
        TypeZip = "type_zip": "An archive, which is not ours to keep.",
    }
    Redirects {
        RedirectSameHost = "redirect_same_host": "A chain of two to five redirects on one host, then a page.",
        RedirectToHttps = "redirect_to_https": "http leads to https on the same host.",
        RedirectToHttp = "redirect_to_http": "https leads back to http on the same host.",
        RedirectToWww = "redirect_to_www": "The bare name leads to its www name.",
        RedirectCrossHost = "redirect_cross_host": "The page has moved to another host.",
        RedirectLoop = "redirect_loop": "Redirects that come back to where they were.",
        RedirectTooLong = "redirect_too_long": "A chain of twenty redirects, longer than any limit should be.",
        RedirectBadLocation = "redirect_bad_location": "Redirects without a location, and to a scheme that is not the web's.",
        RedirectPrivate = "redirect_private": "Redirects to addresses that are not globally routable.",
        RedirectForbiddenPath = "redirect_forbidden_path": "A redirect onto a path that robots.txt forbids.",
        RedirectForbiddingHost = "redirect_forbidding_host": "A redirect to a host whose robots.txt forbids everything.",
    }
    Robots {
        RobotsNone = "robots_none": "No robots.txt (404): everything is allowed.",
        RobotsEmpty = "robots_empty": "An empty robots.txt.",
        RobotsAllowAll = "robots_allow_all": "A robots.txt that allows everything.",
        RobotsDisallowAll = "robots_disallow_all": "A robots.txt that forbids everything.",
        RobotsDisallowPaths = "robots_disallow_paths": "A robots.txt that forbids some paths.",
        RobotsWildcards = "robots_wildcards": "Rules with * and $.",
        RobotsLongestRule = "robots_longest_rule": "An allow rule that is longer than the disallow rule, and the reverse.",
        RobotsOwnGroup = "robots_own_group": "A group for canvass that differs from the group for everybody.",
        RobotsMergedGroups = "robots_merged_groups": "Two groups for canvass, which count as one.",
        RobotsHuge = "robots_huge": "A robots.txt of more than 500 KiB: a rule beyond the limit does not count.",
        RobotsBomCrlf = "robots_bom_crlf": "A robots.txt with a byte order mark and CRLF line ends.",
        RobotsGzip = "robots_gzip": "A robots.txt in gzip.",
        RobotsHtml = "robots_html": "An HTML page in place of robots.txt: no rule in it.",
        Robots403 = "robots_403": "robots.txt answers 403: everything is allowed.",
        Robots410 = "robots_410": "robots.txt answers 410: everything is allowed.",
        RobotsServerError = "robots_server_error": "robots.txt answers 500 forever: nothing is allowed.",
        RobotsServerErrorOnce = "robots_server_error_once": "robots.txt answers 503 once and then allows everything.",
        RobotsThrottled = "robots_throttled": "robots.txt answers 429 forever: it is unavailable, nothing is allowed.",
        RobotsThrottledOnce = "robots_throttled_once": "robots.txt answers 429 once and then forbids some paths.",
        RobotsRedirect = "robots_redirect": "robots.txt moved within the host; its rules count.",
        RobotsRedirectCrossHost = "robots_redirect_cross_host": "robots.txt moved to another host; its rules count for the first.",
        RobotsHang = "robots_hang": "robots.txt never answers: nothing is allowed.",
        RobotsLost = "robots_lost": "robots.txt resets the connection: nothing is allowed.",
        RobotsSlow = "robots_slow": "robots.txt takes a while and then forbids some paths.",
        CrawlDelayOne = "crawl_delay_one": "A crawl delay of one second.",
        CrawlDelayFraction = "crawl_delay_fraction": "A crawl delay of 1.5 seconds.",
        CrawlDelayLong = "crawl_delay_long": "A crawl delay of three seconds.",
    }
    Statuses {
        Status403 = "status_403": "403 with a long body.",
        Status404 = "status_404": "404 with a long body.",
        Status410 = "status_410": "410 with a long body.",
        Status418 = "status_418": "418 with a long body.",
        Status451 = "status_451": "451 with a long body.",
        ThrottledOnce = "throttled_once": "429 with Retry-After once, then a page.",
        ThrottledForever = "throttled_forever": "429 with Retry-After forever.",
        UnavailableOnce = "unavailable_once": "503 with Retry-After once, then a page.",
        BadGatewayOnce = "bad_gateway_once": "502 once, then a page.",
        BrokenServer = "broken_server": "500 with a body of 24 bytes: broken, not busy.",
        ServerErrorForever = "server_error_forever": "500 with a long body forever.",
    }
    Stalls {
        DripEnds = "drip_ends": "A body that drips slowly and ends in time.",
        DripEndless = "drip_endless": "A body that drips without end.",
        Hang = "hang": "A request that is never answered.",
    }
    Breaks {
        ResetBeforeHead = "reset_before_head": "The connection is reset in place of an answer.",
        ResetInBody = "reset_in_body": "The connection is reset in the middle of the body.",
        CloseWithoutAnswer = "close_without_answer": "The connection is closed in place of an answer.",
        TruncatedLength = "truncated_length": "The body ends before its declared length.",
        TruncatedGzip = "truncated_gzip": "A whole body whose gzip stream is cut.",
        UnknownEncoding = "unknown_encoding": "A content encoding that nobody knows.",
        BrokenChunking = "broken_chunking": "A chunk size that is not a number.",
        Garbage = "garbage": "An answer that is not HTTP.",
        HeaderFloodMany = "header_flood_many": "Ten thousand headers.",
        HeaderFloodLong = "header_flood_long": "One header of a mebibyte.",
    }
    Bombs {
        GzipBomb = "gzip_bomb": "A small gzip body that decodes to far more than the cap.",
        DeflateBomb = "deflate_bomb": "A small deflate body that decodes to far more than the cap.",
        BrotliBomb = "brotli_bomb": "A small brotli body that decodes to far more than the cap.",
        ZstdBomb = "zstd_bomb": "A small zstd body that decodes to far more than the cap.",
        InfiniteBody = "infinite_body": "A plain body without end, as fast as it is read.",
    }
    Reach {
        UnknownHost = "unknown_host": "A name that does not exist.",
        ConnectRefused = "connect_refused": "An address on which nobody listens.",
        TlsGood = "tls_good": "Pages over TLS.",
        TlsH2 = "tls_h2": "Pages over TLS with HTTP/2 on offer.",
        TlsExpired = "tls_expired": "A certificate that has expired.",
        TlsWrongHost = "tls_wrong_host": "A certificate for another name.",
        TlsSelfSigned = "tls_self_signed": "A certificate that signed itself.",
        TlsPlainText = "tls_plain_text": "Plain HTTP on the port for TLS.",
    }
}

impl Behaviour {
    /// Whether an answer depends on how often the same path was asked for before.
    pub(crate) fn changes_after_the_first_visit(self) -> bool {
        use Behaviour as B;
        matches!(
            self,
            B::ThrottledOnce
                | B::UnavailableOnce
                | B::BadGatewayOnce
                | B::RobotsServerErrorOnce
                | B::RobotsThrottledOnce
        )
    }

    /// Whether such a site may share its address with others and stand for the bulk of a world: it answers at once, and
    /// mostly with pages.
    pub(crate) fn is_ordinary(self) -> bool {
        use Behaviour as B;
        matches!(
            self,
            B::StaticPlain
                | B::StaticGzip
                | B::StaticBrotli
                | B::StaticZstd
                | B::StaticDeflate
                | B::StaticChunked
                | B::StaticChunkedGzip
                | B::StaticUntilClose
        )
    }

    /// Whether the site listens for TLS.
    pub(crate) fn speaks_tls(self) -> bool {
        use Behaviour as B;
        matches!(
            self,
            B::RedirectToHttps
                | B::RedirectToHttp
                | B::TlsGood
                | B::TlsH2
                | B::TlsExpired
                | B::TlsWrongHost
                | B::TlsSelfSigned
                | B::TlsPlainText
        )
    }
}

impl fmt::Display for Behaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
