import { useParams } from "@tanstack/react-router"
import type { Offer } from "@tollgate/contract/account/Offer"
import type { Session } from "../../session/Session.ts"
import { useSessions } from "../../session/SessionProvider.tsx"
import { Button } from "../../ui/Button.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Page } from "../../ui/Page.tsx"
import { Loading } from "./Loading.tsx"
import { Operations } from "./Operations.tsx"
import { OperationView } from "./OperationView.tsx"
import styles from "./playground.module.css"
import { useOffer } from "./state/useOffer.ts"
import { useWorkbench } from "./state/useWorkbench.ts"
import { Welcome } from "./Welcome.tsx"

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
    <Page title="Playground" lead="Try every operation with its price in view, and take the code along.">
      {error === undefined ? null : (
        <ErrorNotice error={error}>
          <Button onClick={refresh}>Try again</Button>
        </ErrorNotice>
      )}
      {session === undefined || offered === undefined ? (
        error === undefined ? (
          <Loading />
        ) : null
      ) : (
        <Desk session={session} offered={offered} chosen={operation} />
      )}
    </Page>
  )
}
