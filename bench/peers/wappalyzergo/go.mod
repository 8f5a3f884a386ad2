module canvass-bench-wappalyzergo

go 1.26.8

require github.com/projectdiscovery/wappalyzergo v0.2.30

require golang.org/x/net v0.40.0 // indirect
