import * as Utf8 from "@tollgate/contract/Utf8"
import type { Answer } from "../../exchange/Reply.ts"
import type { NotLinked } from "./Links.ts"

interface Content {
  readonly status: number
  readonly title: string
  readonly text: string
}

const linked: Content = { status: 200, title: "Account linked", text: "You can close this window." }

const again = "Request a new link and try again."

const notLinked: Readonly<Record<NotLinked["why"], Content>> = {
  unknown: { status: 400, title: "This link is not valid", text: `It was used before or has expired. ${again}` },
  declined: { status: 400, title: "Not linked", text: "Access was not granted. You can close this window." },
  refused: { status: 400, title: "Not linked", text: `The platform did not accept this approval. ${again}` },
  platform: { status: 502, title: "Not linked", text: `The platform could not be reached. ${again}` },
  store: { status: 503, title: "Not linked", text: `The account could not be saved. ${again}` }
}

const style = `
:root { color-scheme: light dark }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1rem/1.5 system-ui, sans-serif;
  background: light-dark(#f4f5f7, #16181d); color: light-dark(#1c2024, #eceef1) }
main { box-sizing: border-box; width: min(26rem, 100vw - 2rem); padding: 2.5rem 2rem; text-align: center;
  border-radius: 1rem; background: light-dark(#fff, #20242b); box-shadow: 0 1px 3px #0003 }
.sign { width: 3rem; height: 3rem; margin: 0 auto 1rem; border-radius: 50%; font-size: 1.5rem; line-height: 3rem;
  color: #fff; background: #1f8a4c }
.no { background: #b3372f }
h1 { margin: 0 0 .5rem; font-size: 1.25rem }
p { margin: 0 }`

const html = ({ status, text, title }: Content): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}
</style></head>
<body><main>
<div class="sign${status === 200 ? "" : " no"}" aria-hidden="true">${status === 200 ? "✓" : "✕"}</div>
<h1>${title}</h1>
<p>${text}</p>
</main></body>
</html>
`

const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // The URL of this page contains the code.
  "referrer-policy": "no-referrer"
}

/** The page that the callback answers with. It contains nothing from the request. */
export const page = (why?: NotLinked["why"]): Answer => {
  const content = why === undefined ? linked : notLinked[why]
  return { status: content.status, contentType: "text/html; charset=utf-8", headers, bytes: Utf8.encode(html(content)) }
}
