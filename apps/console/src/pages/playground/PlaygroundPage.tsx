import { Link, useParams } from "@tanstack/react-router"
import type { Offer, OfferedOperation } from "@tollgate/contract/account/Offer"
import type { Session } from "../../session/Session.ts"
import { useSessions } from "../../session/SessionProvider.tsx"
import { Card, Loaded, Notice, Page, Skeleton } from "../../ui/kit.tsx"
import { Operations, shortPrice } from "./Operations.tsx"
import { OperationView } from "./OperationView.tsx"
import styles from "./playground.module.css"
import { useWorkbench } from "./state/Workbench.ts"
import { offer } from "@tollgate/client/account"
import { useEffect, useState } from "react"
import { useRecovering } from "./state/useRecovering.ts"

const load = offer()

/** It outlives the page, so that a gateway that cannot be reached for a while takes nothing away. */
let kept: { readonly session: Session | undefined; readonly offered: Offer; readonly text: string } | undefined

/** The same object while nothing in it has changed. */
const keep = (session: Session | undefined, offered: Offer): Offer => {
  const text = JSON.stringify(offered)
  if (kept === undefined || kept.session !== session || kept.text !== text) kept = { session, offered, text }
  return kept.offered
}

interface UseOffer {
  readonly offered: Offer | undefined
  /** Until it was loaded again. */
  readonly error: unknown
  readonly refresh: () => void
}

/** What can be called. */
const useOffer = (session: Session | undefined): UseOffer => {
  const { error, refresh, state, value } = useRecovering(load)
  const [last, setLast] = useState<unknown>()
  useEffect(() => {
    if (state === "failed") setLast(error)
    else if (state === "ready") setLast(undefined)
  }, [state, error])
  const before = kept?.session === session ? kept?.offered : undefined
  return { offered: value === undefined ? before : keep(session, value), error: last, refresh }
}

/** The page while the operations are read, in its later shape. */
const Loading = () => (
  <div className={styles["desk"]} aria-busy="true">
    <div className={styles["operations"]}>
      <Skeleton lines={14} />
    </div>
    <Card>
      <Skeleton lines={9} />
    </Card>
    <Card>
      <Skeleton lines={9} />
    </Card>
  </div>
)

const first = [
  { template: "chat.completions", why: "Watch an answer stream in, token by token" },
  { template: "rerank", why: "Sort documents by relevance" },
  { template: "images.generate", why: "Make an image" },
  { template: "video.create", why: "Start a long task" }
]

interface WelcomeProps {
  readonly operations: ReadonlyArray<OfferedOperation>
  /** An id that no operation has. */
  readonly missing: string | undefined
}

/** Nothing is chosen yet. */
const Welcome = ({ missing, operations }: WelcomeProps) => (
  <section className={styles["welcome"]} aria-label="Where to begin">
    {missing === undefined ? null : (
      <Notice kind="warn" title="There is no such operation here">
        <p>
          <code>{missing}</code> is not offered to this key.
        </p>
      </Notice>
    )}
    <h2>Choose an operation</h2>
    <p className="soft">
      The form comes filled in. You see the price before you call, each step while it runs, and code for the same call.
    </p>
    <ul className={styles["begin"]}>
      {first.flatMap(({ template, why }) => {
        const operation = operations.find((each) => each.template === template)
        if (operation === undefined) return []
        return (
          <li key={template}>
            <Link to="/playground/$operation" params={{ operation: operation.id }}>
              <strong>{why}</strong>
              <code>{operation.id}</code>
              <small>{shortPrice(operation)}</small>
            </Link>
          </li>
        )
      })}
    </ul>
  </section>
)

interface DeskProps {
  readonly session: Session
  readonly offered: Offer
  readonly chosen: string | undefined
}

const Desk = ({ chosen, offered, session }: DeskProps) => {
  const workbench = useWorkbench(session, offered.names)
  const operation = offered.operations.find(({ id }) => id === chosen)
  return (
    <div className={styles["desk"]} data-chosen={operation !== undefined}>
      <Operations operations={offered.operations} chosen={operation?.id} />
      {operation === undefined ? (
        <Welcome operations={offered.operations} missing={chosen} />
      ) : (
        <OperationView key={operation.id} operation={operation} scenarios={offered.scenarios} workbench={workbench} />
      )}
    </div>
  )
}

/** Every operation, with its price in view, and what the client does to make the call. */
export const PlaygroundPage = () => {
  const { session } = useSessions()
  const { operation } = useParams({ strict: false })
  const { error, offered, refresh } = useOffer(session)
  return (
    <Page title="Playground" lead="Try any operation, see its price, and copy the code.">
      <Loaded of={{ error, refresh, value: offered }} loading={<Loading />}>
        {(offered) => (session === undefined ? null : <Desk session={session} offered={offered} chosen={operation} />)}
      </Loaded>
    </Page>
  )
}
