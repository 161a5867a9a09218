import type { Catalogue } from "@tollgate/contract/Catalogue"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Base64 from "effect/encoding/Base64"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { BaseUrl } from "../../exchange/BaseUrl.ts"
import { type Compress, Compression } from "../../document/Compression.ts"
import { type FixedDocument, fixedDocument } from "../../document/FixedDocument.ts"
import type { Gateway } from "../../call/Gateway.ts"
import type { Html } from "../../html/html.ts"
import { oncePer } from "../../internal/once.ts"
import { type EndpointGroup, withAllBelow } from "../EndpointGroup.ts"
import { requestOf } from "../http/Http.ts"
import { nosniff } from "../http/respond.ts"
import { type TopicName, type Place, placeOf, root, guideHref, topicHref, topics } from "./addresses.ts"
import { icon, iconPrefix } from "./frame.ts"
import { llmsText, markdownIn, originOf, robotsText } from "./plain.ts"
import { type GuideFiles, type Guides, readGuides, type Guide, ruleSections } from "./guides.ts"
import { errorsPage, openapiPage, rulesPage } from "./pages/topicPages.ts"
import { guidePage, guidesPage } from "./pages/guidePages.ts"
import { indexPage, missingPage, searchPage } from "./pages/listPages.ts"
import { modelsPage } from "./pages/modelsPage.ts"
import { operationPage } from "./pages/operationPage.ts"
import { sdksPage } from "./pages/sdksPage.ts"
import { script } from "./script.ts"
import { type Site, siteOf, type Entry, type Found } from "./Site.ts"
import { style } from "./style.ts"
import { type Code, codes } from "@tollgate/contract/errors/codes"
import { codeWords } from "@tollgate/contract/reference/errorWords"
import { documentOf, kinds, type Texts } from "../catalogue/document.ts"
import { textIndexOf } from "../catalogue/TextIndex.ts"
import { beginning } from "./markdown.ts"

interface Document {
  readonly found: Found
  readonly texts: () => Texts
}

const longestQuery = 200
const most = 30

const operationOf = (entry: Entry): Document => {
  const { bound, href, id, operation, price } = entry
  const { summary } = operation
  const models = price.models.map(({ model }) => model)
  return {
    found: { kind: "Operation", href, title: id, text: summary, entry },
    texts: () => (bound === undefined ? { id, summary } : documentOf(bound, models))
  }
}

const plainDocument = (found: Found, text = found.text): Document => ({
  found,
  texts: () => ({ summary: found.title, description: text })
})

const partsOf = (prefix: string, { name, sections, summary, title: guide }: Guide): ReadonlyArray<Document> =>
  sections.map(({ blocks, id, text, title }) => {
    const href = guideHref(prefix, name)
    return plainDocument(
      title === undefined
        ? { kind: "Guide", href, title: guide, text: summary }
        : { kind: "Guide", href: `${href}#${id}`, title: `${guide} › ${title}`, text: beginning(blocks) },
      text
    )
  })

const documentsOf = ({ entries, guides, names, prefix }: Site): ReadonlyArray<Document> => {
  const rules = topicHref(prefix, "rules")
  const errors = topicHref(prefix, "errors")
  return [
    ...topics.map(({ name, summary, title }) =>
      plainDocument({ kind: "Page", href: topicHref(prefix, name), title, text: summary })
    ),
    ...ruleSections(names).map(({ blocks, id, text, title }) =>
      plainDocument({ kind: "Rule", href: `${rules}#${id}`, title: `Rules: ${title}`, text: beginning(blocks) }, text)
    ),
    ...[...guides.byName.values()].flatMap((guide) => partsOf(prefix, guide)),
    ...(Object.keys(codes) as ReadonlyArray<Code>).map((code) =>
      plainDocument({
        kind: "Error",
        href: `${errors}#${code}`,
        title: `${codes[code].status} ${code}`,
        text: codeWords[code]
      })
    ),
    ...entries.map(operationOf)
  ]
}

type Search = (query: string) => ReadonlyArray<Found>

/** A search that finds pages as agents find operations. */
export const makeSearch = Effect.fnUntraced(function* (site: Site): Effect.fn.Return<Search> {
  const documents = documentsOf(site)
  const index = yield* textIndexOf(documents, kinds, ({ texts }) => texts())
  return (query) => {
    const bounded = query.slice(0, longestQuery).toWellFormed().trim()
    const exact = documents.filter(({ found }) => found.entry?.id === bounded).map(({ found }) => found)
    const ranked = index(bounded).found.flatMap(({ index }) => documents[index]?.found ?? [])
    return [...new Set([...exact, ...ranked])].slice(0, most)
  }
})

export interface Options {
  /** Whether people can see here what they gave access to. Default: no. */
  readonly hasGrants?: boolean
  /** Whether there is a console at `/`. Default: no. */
  readonly hasConsole?: boolean
  /** Reads the files of the guides, when the first page is asked for. Default: there are no guides. */
  readonly guides?: () => GuideFiles
}

interface Page {
  readonly status: number
  readonly contentType: string
  readonly document: FixedDocument
}

/** What programs look for at these addresses. */
const fileNames = ["/llms.txt", "/llms-full.txt", "/robots.txt", "/favicon.ico", "/openapi.json"] as const
type FileName = (typeof fileNames)[number]
const isFile = (path: string): path is FileName => (fileNames as ReadonlyArray<string>).includes(path)

/** Pages that are kept. Beyond them the oldest is made again when it is asked for. */
const mostKept = 200

const topicPages: Readonly<Record<Exclude<TopicName, "openapi">, (site: Site) => Html>> = {
  models: modelsPage,
  sdks: sdksPage,
  rules: rulesPage,
  errors: errorsPage
}

/** Made when somebody searches: to read a thousand operations takes a while. */
const searchOf = oncePer(makeSearch)

const types = {
  html: "text/html; charset=utf-8",
  markdown: "text/markdown; charset=utf-8",
  text: "text/plain; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml"
} as const

interface Content {
  readonly status: number
  readonly type: keyof typeof types
  readonly text: string
  /** Whether it does not depend on what a reader typed. */
  readonly isFixed: boolean
}

/** With more operations than these, the file of all pages has none of them: they are found by the list. */
const mostInFull = 300

/** The pages of one definition. Those that do not depend on what a reader typed are made once. */
const pagesOf = (site: Site, catalogue: Catalogue, compress: Compress | undefined) => {
  const origin = originOf(site)
  const fixed = (content: Html) => ({ status: 200, content, isFixed: true })
  const found = Effect.fnUntraced(function* (query: string) {
    return { status: 200, content: searchPage(site, query, (yield* searchOf(site))(query)), isFixed: false }
  })
  const missing = Effect.fnUntraced(function* (name: string) {
    return { status: 404, content: missingPage(site, name, (yield* searchOf(site))(name)), isFixed: false }
  })
  const write = Effect.fnUntraced(function* (place: Place) {
    switch (place.kind) {
      case "start":
        return (place.query ?? "").trim() === "" ? fixed(indexPage(site)) : yield* found(place.query ?? "")
      case "topic":
        if (place.name !== "openapi") return fixed(topicPages[place.name](site))
        // Only this page waits for the OpenAPI document, which takes a second with a thousand operations.
        return fixed(openapiPage(site, yield* OpenApi.contentHash(yield* OpenApi.sourceInSteps(catalogue))))
      case "guides":
        return fixed(guidesPage(site))
      case "guide": {
        const guide = site.guides.byName.get(place.name)
        return guide === undefined ? yield* missing(place.name) : fixed(guidePage(site, guide))
      }
      case "operation": {
        const entry = site.entries.find(({ id }) => id === place.id)
        return entry === undefined ? yield* missing(place.id) : fixed(operationPage(site, entry))
      }
    }
  })

  const everything = Effect.gen(function* () {
    const operations = site.entries.length > mostInFull ? [] : site.entries
    const places: ReadonlyArray<Place> = [
      ...topics.flatMap(({ name }) => (name === "openapi" ? [] : [{ kind: "topic", name } as const])),
      ...[...site.guides.byName.keys()].map((name) => ({ kind: "guide", name }) as const),
      ...operations.map(({ id }) => ({ kind: "operation", id }) as const)
    ]
    const parts = yield* Effect.forEach(places, (place) =>
      // The gateway serves calls in between.
      Effect.andThen(
        Effect.yieldNow,
        Effect.map(write(place), ({ content }) => markdownIn(content, origin))
      )
    )
    return [llmsText(site), ...parts].join("\n---\n\n")
  })
  const files: Readonly<Record<FileName, Effect.Effect<Omit<Content, "status" | "isFixed">, never, Digest.Digest>>> = {
    "/llms.txt": Effect.sync(() => ({ type: "markdown", text: llmsText(site) })),
    "/llms-full.txt": Effect.map(everything, (text) => ({ type: "markdown", text })),
    "/robots.txt": Effect.succeed({ type: "text", text: robotsText }),
    "/favicon.ico": Effect.sync(() => ({ type: "svg", text: decodeURIComponent(icon.slice(iconPrefix.length)) })),
    "/openapi.json": Effect.map(OpenApi.sourceInSteps(catalogue), (text) => ({ type: "json", text }))
  }

  const known = new Map<string, Page>()
  const page = Effect.fnUntraced(function* (key: string, content: Effect.Effect<Content, never, Digest.Digest>) {
    const before = known.get(key)
    if (before !== undefined) return before
    const { isFixed, status, text, type } = yield* content
    const bytes = Utf8.encode(text)
    const hash = yield* (yield* Digest.Digest).digestHex(Digest.sha256, bytes)
    // What a reader typed is not worth compressing: the page is made for one answer.
    const document = yield* fixedDocument(hash.slice(0, 32), bytes, isFixed ? compress : undefined)
    const page: Page = { status, contentType: types[type], document }
    if (isFixed) {
      const [oldest] = known.keys()
      if (known.size >= mostKept && oldest !== undefined) known.delete(oldest)
      known.set(key, page)
    }
    return page
  })
  const written = (place: Place, type: "html" | "markdown") =>
    page(
      `${type} ${JSON.stringify(place)}`,
      Effect.map(write(place), ({ content, ...rest }) => ({
        ...rest,
        type,
        text: type === "html" ? content.toString() : markdownIn(content, origin)
      }))
    )

  return {
    at: (url: string) => {
      const [path = ""] = url.split("?", 1)
      if (isFile(path))
        return page(
          path,
          Effect.map(files[path], (file) => ({ ...file, status: 200, isFixed: true }))
        )
      return path.endsWith(".md") ? written(placeOf(path.slice(0, -3)), "markdown") : written(placeOf(url), "html")
    },
    missing: () =>
      page(
        "missing",
        Effect.sync(() => ({ status: 404, type: "html", text: missingPage(site).toString(), isFixed: true }))
      )
  }
}

const hashOf = (text: string) =>
  Digest.Digest.use((digest) => digest.digest(Digest.sha256, Utf8.encode(text))).pipe(
    Effect.map((bytes) => `'sha256-${Base64.encode(bytes)}'`)
  )

const answerWith = (
  { contentType, document, status }: Page,
  common: Readonly<Record<string, string>>,
  { headers: { "if-none-match": known, ...sent } }: HttpServerRequest
) =>
  Effect.map(
    document.choose(status === 200 ? { ...sent, "if-none-match": known } : sent),
    ({ bytes, headers: chosen }) => {
      const headers = { ...common, ...chosen }
      return bytes === undefined
        ? HttpServerResponse.empty({ status: 304, headers })
        : HttpServerResponse.uint8Array(bytes, { status, contentType, headers })
    }
  )

type Pages = ReturnType<typeof pagesOf>

const isRead = (method: string): boolean => method === "GET" || method === "HEAD"

/** A browser that opens an address. For the API the credential comes before the path. */
const asksForPage = ({ headers }: HttpServerRequest): boolean =>
  headers["accept"]?.startsWith("text/html") === true && headers["authorization"] === undefined

export interface DocsEndpoints extends EndpointGroup {
  /** A page for who opens an address in a browser at which there is nothing. `undefined`: there may be something. */
  readonly missing: (request: HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined
}

/**
 * The reference of the gateway in force, at `/docs`, for people. No credential is needed: it shows what the OpenAPI document
 * shows, and list prices.
 */
export const make = Effect.fnUntraced(function* (
  gateway: () => Gateway,
  { guides, hasConsole = false, hasGrants = false }: Options = {}
) {
  const baseUrl = (yield* BaseUrl).replace(/\/$/, "")
  const digest = yield* Digest.Digest
  const compress = yield* Compression
  const headers = {
    ...nosniff,
    "cache-control": "no-cache",
    "content-security-policy":
      `default-src 'none'; style-src ${yield* hashOf(style)}; script-src ${yield* hashOf(script)}; img-src data:;` +
      " form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY"
  }

  let read: Guides | undefined
  let made: { readonly of: Gateway; readonly pages: Pages } | undefined
  const pagesInForce = () => {
    const inForce = gateway()
    if (made?.of !== inForce) {
      read ??= readGuides(guides?.() ?? new Map())
      const site = siteOf(inForce, { baseUrl, hasConsole, hasGrants, guides: read })
      made = { of: inForce, pages: pagesOf(site, inForce.catalogue, compress) }
    }
    return made.pages
  }

  const answer = (request: HttpServerRequest, page: (pages: Pages) => ReturnType<Pages["at"]>) =>
    Effect.suspend(() => page(pagesInForce())).pipe(
      Effect.flatMap((page) => answerWith(page, headers, request)),
      Effect.provideService(Digest.Digest, digest)
    )
  const endpoints: DocsEndpoints = {
    paths: [...withAllBelow(root), ...fileNames],
    answer: (request) => {
      const { method, url } = request
      return isRead(method) ? answer(request, (pages) => pages.at(url)) : undefined
    },
    missing: (request) => {
      if (!isRead(request.method) || !asksForPage(request)) return undefined
      if (gateway().accept(requestOf(request)).match !== undefined) return undefined
      return answer(request, (pages) => pages.missing())
    }
  }
  return endpoints
})
