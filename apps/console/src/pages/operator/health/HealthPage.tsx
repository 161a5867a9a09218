import { Link } from "@tanstack/react-router"
import { configuration, gateways, overview, resendWebhook, webhooks } from "@tollgate/client/admin"
import type { RunningGateway } from "@tollgate/contract/admin/Gateway"
import type { Webhook, WebhookEndpoint } from "@tollgate/contract/admin/Webhook"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { count } from "../../../ui/amounts.ts"
import { ChangeButton } from "../../../ui/ChangeButton.tsx"
import { dash, Loaded, Page, Skeleton, Tag } from "../../../ui/kit.tsx"
import { type Column, List, Named } from "../../../ui/Table.tsx"
import { duration, fullTime } from "../../../ui/times.ts"
import { CurrentConfiguration } from "../CurrentConfiguration.tsx"
import { Attention } from "../Attention.tsx"
import styles from "../operator.module.css"
import { AuditCard } from "./AuditCard.tsx"

const gatewayColumns: ReadonlyArray<Column<RunningGateway>> = [
  { head: "Gateway", kind: "name", cell: ({ id, name }) => <Named id={id}>{name}</Named> },
  { head: "Version", cell: ({ version }) => version },
  { head: "Started", cell: ({ started_at: at }) => fullTime(at) },
  { head: "Last heartbeat", cell: ({ silent_ms: millis }) => `${duration(millis)} ago` },
  {
    head: "Configuration",
    cell: ({ config_differs }) =>
      config_differs ? <Tag kind="warn">Differs from the others</Tag> : <Tag kind="good">The same</Tag>
  }
]

const loadProgram = Effect.all(
  { inForce: configuration(), fleet: Effect.map(gateways(), ({ gateways }) => gateways) },
  { concurrency: 2 }
)

/** What runs, and with which configuration. Only gateways that share a store know of each other. */
const Program = () => {
  const loaded = useLoad(loadProgram, { every: "15 seconds" })
  return (
    <>
      <Loaded of={loaded}>
        {({ inForce }) => (
          <CurrentConfiguration of={inForce} action={<Link to="/operator/configuration">Configuration</Link>} />
        )}
      </Loaded>
      {(loaded.value?.fleet.length ?? 0) === 0 ? null : (
        <List
          title="Gateways of this store"
          of={loaded}
          columns={gatewayColumns}
          rows={({ fleet }) => fleet}
          keyOf={({ id }) => id}
        />
      )}
    </>
  )
}

interface Message extends Webhook {
  readonly to: string
}

const messageColumns = (onSent: () => void): ReadonlyArray<Column<Message>> => [
  { head: "Message", kind: "name", cell: ({ id, type }) => <Named id={id}>{type}</Named> },
  {
    head: "State",
    cell: ({ state }) => (state === "failed" ? <Tag kind="bad">Failed</Tag> : <Tag kind="warn">Waiting</Tag>)
  },
  { head: "To", className: styles.address, cell: ({ to }) => to },
  { head: "Attempts", kind: "number", cell: ({ attempts }) => count(attempts) },
  { head: "Last answer", cell: ({ result }) => result ?? dash },
  { head: "Made", cell: ({ created_at: at }) => fullTime(at) },
  {
    head: "Actions",
    kind: "actions",
    cell: ({ id, state, type }) =>
      state === "failed" ? (
        <ChangeButton
          label="Send again"
          may="resendWebhook"
          name={`Send ${id} again`}
          submit="Send again"
          run={() => resendWebhook(id)}
          onDone={onSent}
          done={() => `The message ${type} is sent again.`}
        >
          <p>The endpoint gets the message once more, with the same id.</p>
        </ChangeButton>
      ) : null
  }
]

const most = 50

const loadMessages = Effect.map(
  Effect.all([webhooks({ state: "failed", limit: most }), webhooks({ state: "pending", limit: most })]),
  (found): ReadonlyArray<Message> =>
    found.flatMap(({ endpoints, webhooks }) => {
      const to = (of: Webhook) => endpoints.find(({ id }: WebhookEndpoint) => id === of.endpoint)?.origin ?? of.endpoint
      return webhooks.map((one) => ({ ...one, to: to(one) }))
    })
)

const Messages = () => {
  const loaded = useLoad(loadMessages, { every: "15 seconds" })
  return (
    <List
      title="Webhook messages"
      of={loaded}
      columns={messageColumns(loaded.refresh)}
      rows={(messages) => messages}
      keyOf={({ id }) => id}
      empty="No message failed, and none waits"
    />
  )
}

const load = overview()

/** What is wrong with the gateway, or worth a look. */
export const HealthPage = () => (
  <Page title="Health" lead="What needs attention now: upstreams, calls, the ledger, messages and versions.">
    <Loaded of={useLoad(load, { every: "15 seconds" })} loading={<Skeleton lines={8} tall />}>
      {(found) => (
        <>
          <Attention of={found} />
          <AuditCard waiting={found.waiting_changes} />
        </>
      )}
    </Loaded>
    <Messages />
    <Program />
  </Page>
)
