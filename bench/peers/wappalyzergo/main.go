// How fast does wappalyzergo read technologies off pages, and what does it see?
//
// Arguments: the folder of the fingerprints, which it cannot read and does without, the folder of the pages, `time` or
// `see`, how often, and that it reads one page of so many.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"

	wappalyzer "github.com/projectdiscovery/wappalyzergo"
)

type page struct {
	file string
	body []byte
}

func main() {
	if len(os.Args) != 6 {
		log.Fatal("usage: wappalyzergo-pages RULES PAGES time|see ROUNDS STRIDE")
	}
	runtime.GOMAXPROCS(1)
	rounds, _ := strconv.Atoi(os.Args[4])
	stride, _ := strconv.Atoi(os.Args[5])
	started := time.Now()
	client, err := wappalyzer.New()
	if err != nil {
		log.Fatal(err)
	}
	say(map[string]any{"load_ms": milliseconds(started)})
	pages := read(os.Args[2], stride)
	if os.Args[3] == "see" {
		for _, one := range pages {
			names := []string{}
			for name := range client.Fingerprint(map[string][]string{}, one.body) {
				names = append(names, strings.Split(name, ":")[0])
			}
			sort.Strings(names)
			say(map[string]any{"page": one.file, "technologies": names})
		}
		return
	}
	for range rounds {
		bytes, worst := 0, 0.0
		before := cpuSeconds()
		for _, one := range pages {
			began := time.Now()
			client.Fingerprint(map[string][]string{}, one.body)
			bytes += len(one.body)
			worst = max(worst, milliseconds(began))
		}
		seconds := cpuSeconds() - before
		say(map[string]any{"pages": len(pages), "bytes": bytes, "seconds": seconds, "worst_ms": worst})
	}
}

func read(folder string, stride int) []page {
	list, err := os.Open(filepath.Join(folder, "pages.tsv"))
	if err != nil {
		log.Fatal(err)
	}
	defer list.Close()
	pages := []page{}
	lines := bufio.NewScanner(list)
	for place := 0; lines.Scan(); place++ {
		if place%stride != 0 {
			continue
		}
		file := strings.SplitN(lines.Text(), "\t", 2)[0]
		body, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			log.Fatal(err)
		}
		pages = append(pages, page{file, body})
	}
	return pages
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	seconds := func(value syscall.Timeval) float64 { return float64(value.Sec) + float64(value.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

func milliseconds(from time.Time) float64 {
	return float64(time.Since(from).Nanoseconds()) / 1e6
}

func say(what any) {
	line, err := json.Marshal(what)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(line))
}
