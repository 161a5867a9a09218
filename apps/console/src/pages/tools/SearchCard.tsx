import { Link } from "@tanstack/react-router"
import { useCall } from "@tollgate/react"
import { type FormEvent, useEffect, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import styles from "./tools.module.css"
import { type Found, search, type SearchAnswer } from "./search.ts"

const first = "sort documents by relevance"

const Result = ({ found }: { readonly found: Found }) => (
  <li>
    <Link to="/playground/$operation" params={{ operation: found.operation_id }}>
      <code>{found.operation_id}</code>
      <span className={styles["price"]}>{found.price.words}</span>
      <span className="soft">{found.summary}</span>
    </Link>
  </li>
)

const Results = ({ answer: { note, results } }: { readonly answer: SearchAnswer }) =>
  results.length === 0 ? (
    <Empty title="No operation found">{note === undefined ? null : <p>{note}</p>}</Empty>
  ) : (
    <>
      {note === undefined ? null : <p className="soft">{note}</p>}
      <ul className={styles["results"]} aria-label="Operations found">
        {results.map((found) => (
          <Result key={found.operation_id} found={found} />
        ))}
      </ul>
    </>
  )

/** The tool `search`, as an agent sees it. */
export const SearchCard = () => {
  const [query, setQuery] = useState(first)
  const { call, error, state, stop, value } = useCall(search)
  // The last results stay in view while others are looked for.
  const [shown, setShown] = useState<SearchAnswer>()
  useEffect(() => call(first), [call])
  useEffect(() => {
    if (value !== undefined) setShown(value)
  }, [value])
  const ask = () => {
    // A search is free: the one before is left.
    stop()
    call(query)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ask()
  }
  return (
    <Card title="Search as an agent would">
      <form className={styles["search"]} onSubmit={submit} role="search">
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
      {error === undefined ? null : (
        <ErrorNotice error={error}>
          <Button onClick={ask}>Try again</Button>
        </ErrorNotice>
      )}
      <div aria-live="polite" aria-busy={state === "pending"}>
        {shown !== undefined ? <Results answer={shown} /> : error === undefined ? <Skeleton lines={12} /> : null}
      </div>
    </Card>
  )
}
