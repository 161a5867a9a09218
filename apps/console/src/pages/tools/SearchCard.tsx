import { Link } from "@tanstack/react-router"
import { call } from "@tollgate/browser/effect"
import { Typed } from "@tollgate/contract/Open"
import * as Operation from "@tollgate/contract/Operation"
import * as limits from "@tollgate/contract/limits"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { type FormEvent, useMemo, useState } from "react"
import { Button, Card, Empty, Loaded, Skeleton } from "../../ui/kit.tsx"
import styles from "./tools.module.css"

interface Found {
  readonly operation_id: string
  readonly summary: string
  readonly category: string
  readonly price: string
}

interface SearchAnswer {
  readonly results: ReadonlyArray<Found>
  readonly note?: string
}

interface RpcAnswer {
  readonly result?: {
    readonly structuredContent?: SearchAnswer
    readonly isError?: boolean
    readonly content?: ReadonlyArray<{ readonly text?: string }>
  }
  readonly error?: { readonly message: string }
}

const version = "2026-07-28"

/** The tool server takes one tool call in one request, without a session. */
const toolCall = call(
  Operation.make({
    id: "mcp.search",
    category: "account",
    summary: "",
    method: "POST",
    path: "/mcp",
    request: {
      headers: { "MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "search" },
      body: Typed<object>()
    },
    success: Typed<RpcAnswer>(),
    // The protocol wants a client to accept both, even if the answer is always the first.
    contentType: "application/json, text/event-stream",
    errors: [400, 401, 403, 404, 429, 500, 503],
    family: "data",
    price: { contract: "free" },
    limit: limits.standard,
    replay: "free",
    upstream: "gateway"
  })
)

/** A refusal is words for the agent, in place of results. */
const answerOf = ({ error, result }: RpcAnswer): SearchAnswer => {
  if (error !== undefined) return { results: [], note: error.message }
  const { content, isError, structuredContent } = result ?? {}
  if (structuredContent !== undefined && isError !== true) return structuredContent
  return { results: [], note: content?.[0]?.text ?? "The tool gave no answer." }
}

/** Searches as an agent does: with the tool `search` of the tool server. */
const search = (query: string) =>
  Effect.map(
    toolCall({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "search",
        arguments: { query },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": version,
          "io.modelcontextprotocol/clientCapabilities": {},
          "tollgate/structured": true
        }
      }
    }),
    answerOf
  )

const first = "sort documents by relevance"

const Results = ({ answer: { note, results } }: { readonly answer: SearchAnswer }) =>
  results.length === 0 ? (
    <Empty title="No operation found">{note === undefined ? null : <p>{note}</p>}</Empty>
  ) : (
    <>
      {note === undefined ? null : <p className="soft">{note}</p>}
      <ul className={styles["results"]} aria-label="Operations found">
        {results.map(({ operation_id: id, price, summary }) => (
          <li key={id}>
            <Link to="/playground/$operation" params={{ operation: id }}>
              <code>{id}</code>
              <span className={`soft small ${styles["price"]}`}>{price}</span>
              <span className="soft">{summary}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )

/** The tool `search`, as an agent sees it. */
export const SearchCard = () => {
  const [query, setQuery] = useState(first)
  const [asked, setAsked] = useState(first)
  const load = useMemo(() => search(asked), [asked])
  const found = useLoad(load, { keep: true })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (query === asked) found.refresh()
    else setAsked(query)
  }
  return (
    <Card title="Search like an agent">
      <form className={styles["search"]} onSubmit={submit} role="search">
        <input
          type="search"
          aria-label="What an agent asks for"
          value={query}
          maxLength={500}
          onChange={({ target }) => setQuery(target.value)}
        />
        <Button kind="main" type="submit" busy={found.state === "loading"}>
          Search
        </Button>
      </form>
      <div aria-live="polite" aria-busy={found.state === "loading"}>
        <Loaded of={found} loading={<Skeleton lines={12} />}>
          {(answer) => <Results answer={answer} />}
        </Loaded>
      </div>
    </Card>
  )
}
