// How fast does the core of Wappalyzer itself read technologies off pages, and what does it see?
//
// Arguments: the folder of the fingerprints, the folder of the pages, `time` or `see`, how often, and that it reads one
// page of so many. It wants the parts of a page, which a browser would give it; here expressions find them.
'use strict'

const fs = require('fs')
const path = require('path')
const { Wappalyzer } = require('wapalyzer-core')

const [rules, folder, what, rounds, stride] = process.argv.slice(2)

const technologies = {}
for (const file of fs.readdirSync(path.join(rules, 'technologies'))) {
  Object.assign(technologies, JSON.parse(fs.readFileSync(path.join(rules, 'technologies', file))))
}
const categories = JSON.parse(fs.readFileSync(path.join(rules, 'categories.json')))
const milliseconds = (from) => Number(process.hrtime.bigint() - from) / 1e6
const started = process.hrtime.bigint()
Wappalyzer.setTechnologies(technologies)
Wappalyzer.setCategories(categories)
console.log(JSON.stringify({ load_ms: milliseconds(started) }))

const pages = fs.readFileSync(path.join(folder, 'pages.tsv'), 'utf8').trimEnd().split('\n')
  .filter((_, place) => place % Number(stride) === 0)
  .map((line) => {
    const [file, url] = line.split('\t')
    const body = fs.readFileSync(path.join(folder, file))
    return { file, url, bytes: body.length, html: body.toString('utf8') }
  })

function parts (html) {
  const scriptSrc = []
  const scripts = []
  const meta = {}
  for (const [, attributes, content] of html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script/gi)) {
    const source = /\bsrc\s*=\s*["']?([^"'\s>]+)/i.exec(attributes)
    if (source) scriptSrc.push(source[1])
    if (content) scripts.push(content)
  }
  for (const [tag] of html.matchAll(/<meta\b[^>]*>/gi)) {
    const name = /\b(?:name|property)\s*=\s*["']?([^"'\s>]+)/i.exec(tag)
    const content = /\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag)
    if (name && content) (meta[name[1].toLowerCase()] ||= []).push(content[1] ?? content[2])
  }
  return { scriptSrc, scripts: scripts.join('\n'), meta }
}

async function names ({ url, html }) {
  const found = await Wappalyzer.analyze({ url, html, headers: {}, cookies: {}, ...parts(html) })
  return Wappalyzer.resolve(found).map(({ name }) => name)
}

async function main () {
  if (what === 'see') {
    for (const page of pages) {
      console.log(JSON.stringify({ page: page.file, technologies: await names(page) }))
    }
    return
  }
  for (let round = 0; round <= Number(rounds); round += 1) {
    let bytes = 0
    let worst = 0
    const before = process.cpuUsage()
    for (const page of pages) {
      const began = process.hrtime.bigint()
      await names(page)
      bytes += page.bytes
      worst = Math.max(worst, milliseconds(began))
    }
    const used = process.cpuUsage(before)
    // the first time round it compiles what it needs
    if (round > 0) {
      const seconds = (used.user + used.system) / 1e6
      console.log(JSON.stringify({ pages: pages.length, bytes, seconds, worst_ms: worst }))
    }
  }
}

main()
