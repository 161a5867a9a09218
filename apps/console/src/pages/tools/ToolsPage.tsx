import { Link } from "@tanstack/react-router"
import { useCall } from "@tollgate/react"
import { type FormEvent, useEffect, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Page } from "../../ui/Page.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { AddToAgent } from "./AddToAgent.tsx"
import styles from "./tools.module.css"
import { type Found, search } from "./search.ts"

const first = "sort documents by relevance"

const Result = ({ found }: { readonly found: Found }) => (
  <li>
    <Link to="/playground/$operation" params={{ operation: found.operation_id }}>
      <code>{found.operation_id}</code>
      <span className={styles.price}>{found.price.words}</span>
      <span className="soft">{found.summary}</span>
    </Link>
  </li>
)

/** What an agent finds, and how to give it these tools. */
export const ToolsPage = () => {
  const [query, setQuery] = useState(first)
  const { call, error, state, value } = useCall(search)
  useEffect(() => call(first), [call])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    call(query)
  }
  return (
    <Page
      title="Tools"
      lead="Agents get five tools: search, get_details and list_categories cost nothing; use and batch_use never cost more than the cap that the agent sends."
    >
      <div className={styles.columns}>
        <Card title="Search as an agent would">
          <form className={styles.search} onSubmit={submit} role="search">
            <input
              type="search"
              aria-label="What an agent asks for"
              value={query}
              maxLength={500}
              onChange={({ target }) => setQuery(target.value)}
            />
            <Button kind="main" type="submit" busy={state === "pending"}>
              Search
            </Button>
          </form>
          {error === undefined ? null : <ErrorNotice error={error} />}
          <div aria-live="polite">
            {value === undefined ? (
              state === "pending" ? (
                <Skeleton lines={6} />
              ) : null
            ) : (
              <>
                {value.note === undefined ? null : <p className="soft">{value.note}</p>}
                {value.results.length === 0 ? (
                  <Empty title="No operation found" />
                ) : (
                  <ul className={styles.results}>
                    {value.results.map((found) => (
                      <Result key={found.operation_id} found={found} />
                    ))}
                  </ul>
                )}
              </>
            )}
          </div>
        </Card>
        <AddToAgent />
      </div>
    </Page>
  )
}
