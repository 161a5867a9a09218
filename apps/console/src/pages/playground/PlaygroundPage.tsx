import { Link, useParams } from "@tanstack/react-router"
import type { Offer, OfferedOperation } from "@tollgate/contract/account/Offer"
import { account, type Session } from "../../session/sessions.ts"
import { Card, Loaded, Notice, Page, Skeleton } from "../../ui/kit.tsx"
import { SkipToForm, Operations, shortPrice } from "./Operations.tsx"
import { OperationView } from "./OperationView.tsx"
import styles from "./playground.module.css"
import { useWorkbench } from "./state/Workbench.ts"
import { offer } from "@tollgate/client/account"
import { useLoad } from "@tollgate/react/effect"

const load = offer()

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
      {operation === undefined ? null : <SkipToForm />}
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
  const { session } = account.use()
  const { operation } = useParams({ strict: false })
  const loaded = useLoad(load)
  return (
    <Page title="Playground" lead="Try any operation, see its price, and copy the code.">
      <Loaded of={loaded} loading={<Loading />}>
        {(offered) => (session === undefined ? null : <Desk session={session} offered={offered} chosen={operation} />)}
      </Loaded>
    </Page>
  )
}
