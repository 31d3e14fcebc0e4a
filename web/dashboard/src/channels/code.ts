/** Returns the URL to which a gateway posts customers' messages. */
export function sendAddress(server: string, app: string): string {
  return `${server}/${app}/api/v2/custom_channel/send`
}

export const LANGUAGES = ['curl', 'JavaScript', 'Python'] as const
export type CodeLanguage = (typeof LANGUAGES)[number]

const MESSAGE = { user_id: '6281234567890', name: 'Ana', message: 'Where is my order?' }

/** Returns example code that posts a message. It reads the channel's key from the environment
 * variable `CHANNEL_KEY`. */
export function codeFor(language: CodeLanguage, address: string): string {
  const fields = JSON.stringify(MESSAGE).slice(1, -1)
  const pairs = Object.entries(MESSAGE)
  if (language === 'curl') {
    return [
      `curl -X POST '${address}' \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '{"identifier_key":"'"$CHANNEL_KEY"'",${fields}}'`,
    ].join('\n')
  }
  if (language === 'JavaScript') {
    return [
      `const answer = await fetch('${address}', {`,
      `  method: 'POST',`,
      `  headers: { 'content-type': 'application/json' },`,
      '  body: JSON.stringify({',
      '    identifier_key: process.env.CHANNEL_KEY,',
      ...pairs.map(([key, value]) => `    ${key}: '${value}',`),
      '  }),',
      '})',
      'console.log(await answer.text())',
    ].join('\n')
  }
  return [
    'import json, os, urllib.request',
    '',
    'body = json.dumps({',
    '    "identifier_key": os.environ["CHANNEL_KEY"],',
    ...pairs.map(([key, value]) => `    "${key}": "${value}",`),
    '}).encode()',
    'request = urllib.request.Request(',
    `    "${address}",`,
    '    body, {"Content-Type": "application/json"})',
    'print(urllib.request.urlopen(request).read().decode())',
  ].join('\n')
}
