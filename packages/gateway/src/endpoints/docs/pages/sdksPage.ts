import * as Headers from "@tollgate/contract/Headers"
import type { Language } from "@tollgate/contract/reference/snippets/Snippet"
import { sdks } from "@tollgate/contract/reference/snippets/sdks"
import { type Html, html } from "../../../html/html.ts"
import { topicHref } from "../addresses.ts"
import { codeBlock, table } from "../elements.ts"
import { writtenFor } from "../examples.ts"
import { frame, heading } from "../frame.ts"
import type { Site } from "../Site.ts"

/** The operation whose first example shows each SDK. */
const shownBy = {
  openai: "chat.completions",
  anthropic: "messages",
  google: "models.generate_content",
  cohere: "rerank"
} as const satisfies Record<keyof typeof sdks, string>

const notes: Readonly<Record<keyof typeof sdks, string>> = {
  openai: "Its address ends in /v1. Responses, chat, images and the list of models work; streams and tools too.",
  anthropic: "Its address has no /v1. Messages, streams, tools and the list of models work.",
  google: "Its address has no version. Content, streams and the list of models work.",
  cohere: "Version 1 of the API: rerank. It retries by itself also what may have run, so turn that off."
}

const names = Object.keys(shownBy) as ReadonlyArray<keyof typeof sdks>

const snippetOf = (site: Site, id: string, language: Language): Html | undefined => {
  const entry = site.entries.find(({ operation }) => operation.id === id)
  const written = entry === undefined ? [] : writtenFor(site, entry)
  const snippet = written.flatMap(({ snippets }) => snippets).find((one) => one.language === language)
  return snippet && codeBlock({ code: snippet.code, syntax: snippet.syntax, title: snippet.title })
}

const addresses = ({ baseUrl }: Site): Html =>
  table({
    label: "Addresses and credentials",
    columns: [
      { title: "SDK" },
      { title: "Base address" },
      { title: "Sends the key as" },
      { title: "Or in the environment" }
    ],
    rows: names.map((name) => {
      const sdk = sdks[name]
      return [
        html`${sdk.title}`,
        html`<code>${sdk.address(baseUrl)}</code>`,
        html`<code>${sdk.header}</code>`,
        "environment" in sdk
          ? html`<code>${sdk.environment.address}</code> and <code>${sdk.environment.key}</code>`
          : html`<span class="soft">not its address</span>`
      ]
    })
  })

const official = (site: Site, name: keyof typeof sdks): Html =>
  html`<section>
    <h3 id="${name}"><a class="here" href="#${name}">${sdks[name].title}</a></h3>
    <p><code>npm install ${sdks[name].package}</code>. ${notes[name]}</p>
    ${snippetOf(site, shownBy[name], "sdk")}
  </section>`

const agents = ({ baseUrl, names: { provider } }: Site): Html => {
  const name = provider.toLowerCase()
  const settings = {
    mcpServers: {
      [name]: { type: "http", url: `${baseUrl}/mcp`, headers: { Authorization: "Bearer ${TOLLGATE_KEY}" } }
    }
  }
  return html`<section>
    ${heading("agents", "Agents")}
    <p>
      The gateway is an MCP server at <code>${baseUrl}/mcp</code>, over streamable HTTP. Its tools search, price and
      call every operation, each call with a cap. An agent that supports OAuth needs only the address; others send a
      key.
    </p>
    ${codeBlock({
      title: "Claude Code",
      syntax: "sh",
      code: `claude mcp add --transport http ${name} ${baseUrl}/mcp --header "Authorization: Bearer $TOLLGATE_KEY"`
    })}
    ${codeBlock({ title: ".mcp.json", syntax: "json", code: JSON.stringify(settings, undefined, 2) })}
  </section>`
}

const packages = [
  ["@tollgate/node", "Node 20.18 or newer"],
  ["@tollgate/browser", "a browser, with sign-in instead of a key"],
  ["@tollgate/react", "hooks for React 19"],
  ["@tollgate/ai", "models for Vercel's ai and Effect's LanguageModel"],
  ["@tollgate/client", "Workers, other edge runtimes, Bun and Deno"]
] as const

const own = (site: Site): Html =>
  html`<section>
    ${heading("own", "The typed client")}
    <p>
      Every operation is a function whose type lists what can go wrong. It retries only what cannot be paid twice, keeps
      to the rate limits, quotes, caps, and says what a call cost. It reads <code>TOLLGATE_KEY</code> and
      <code>TOLLGATE_BASE_URL</code>. Each function is an effect or a stream too. Code in Effect imports
      <code>@tollgate/node/effect</code>: <code>npm install @tollgate/client effect</code>, 4.1 or newer.
    </p>
    ${table({
      label: "Packages",
      columns: [{ title: "Package" }, { title: "For" }],
      rows: packages.map(([name, use]) => [html`<code>${name}</code>`, html`${use}`])
    })}
    ${snippetOf(site, "rerank", "promises")} ${snippetOf(site, "chat.completions", "effect")}
  </section>`

export const sdksPage = (site: Site): Html => {
  const { baseUrl, names: words, prefix } = site
  const rules = topicHref(prefix, "rules")
  return frame(
    site,
    {
      title: "SDKs and tools",
      description: "How to point the SDKs of OpenAI, Anthropic, Google and Cohere, other tools and agents here.",
      href: topicHref(prefix, "sdks")
    },
    html`<article class="text">
      <h1>SDKs and tools</h1>
      <p class="lead">Keep the SDK that you have. Change its base address and its key, and nothing else.</p>
      ${addresses(site)} ${heading("official", "Official SDKs")} ${names.map((name) => official(site, name))}
      ${heading("others", "Other tools")}
      <p>
        A tool that lets you set OpenAI's base URL, such as LangChain, LlamaIndex or the Vercel AI SDK, takes
        <code>${baseUrl}/v1</code> and your key. One that asks for Anthropic's takes <code>${baseUrl}</code>.
      </p>
      ${own(site)} ${agents(site)} ${heading("headers", "Caps and retries in any SDK")}
      <ul>
        <li>
          Set <code>${Headers.maxPrice(words)}</code> as a default header, and no call costs more. The SDKs call this
          <code>defaultHeaders</code>, <code>httpOptions.headers</code> or <code>headers</code>.
        </li>
        <li>
          The SDKs of OpenAI and Anthropic retry by themselves. The gateway tells them when not to, so the defaults are
          safe:
          <a href="${rules}#retries-by-sdks">retries by SDKs</a>.
        </li>
        <li>
          Send an <code>Idempotency-Key</code> of your own with a call that you may have to repeat:
          <a href="${rules}#idempotency">idempotency</a>.
        </li>
      </ul>
    </article>`
  )
}
