import { createClient, grants as readGrants, revokeGrant } from "@tollgate/client/admin"
import { type MadeClient, NewClient } from "@tollgate/contract/admin/Client"
import type { Grant } from "@tollgate/contract/admin/Grant"
import { useLoad } from "@tollgate/react"
import { useState } from "react"
import { ChangeDialog, endField } from "../../../ui/ChangeDialog.tsx"
import { Button, Card, Empty, Loaded, Tag } from "../../../ui/kit.tsx"
import { type Column, Table } from "../../../ui/Table.tsx"
import { dateOnly } from "../../../ui/times.ts"
import { SecretNotice } from "../parts.tsx"

const columnsOf = (onRevoke: (grant: Grant) => void): ReadonlyArray<Column<Grant>> => [
  {
    head: "App",
    kind: "name",
    cell: ({ client_name, id, machine }) => (
      <>
        <span>
          {client_name} {machine ? <Tag>service account</Tag> : null}
        </span>
        <span className="mono soft">{id}</span>
      </>
    )
  },
  {
    head: "State",
    cell: ({ ended, ends_at }) =>
      ended ? <Tag kind="bad">Ended</Tag> : <Tag kind="good">Until {dateOnly(ends_at)}</Tag>
  },
  { head: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
  { head: "Spent", usd: (grant) => grant.spent_micros_usd },
  { head: "Budget", usd: (grant) => grant.limit_micros_usd },
  {
    head: "Actions",
    kind: "actions",
    cell: (grant) =>
      grant.ended ? null : (
        <Button kind="danger" onClick={() => onRevoke(grant)} aria-label={`Revoke the access of ${grant.client_name}`}>
          Revoke
        </Button>
      )
  }
]

interface CreateClientProps {
  readonly account: string
  readonly open: boolean
  readonly onClose: () => void
  readonly onDone: (client: MadeClient) => void
}

const isProposed = "Empty: the default for new apps."

const CreateClient = ({ account, onClose, onDone, open }: CreateClientProps) => (
  <ChangeDialog
    title="Create a service account"
    open={open}
    onClose={onClose}
    schema={NewClient}
    fields={{
      name: { label: "Label", hint: "What it does.", required: true },
      limit_micros_usd: { label: "Budget in USD", hint: `In total. ${isProposed}`, kind: "usd" },
      day_limit_micros_usd: {
        label: "Daily budget in USD",
        hint: `Resets at midnight UTC. ${isProposed}`,
        kind: "usd"
      },
      allowed: {
        label: "Categories",
        hint: "What it may call, separated by commas. Empty: everything.",
        read: (text) => ({ categories: text.split(/[\s,]+/).filter(Boolean), operations: [] })
      },
      ends_at: endField("by default"),
      reads_usage: { label: "It may also read what the account used", kind: "check" }
    }}
    submit="Create the service account"
    run={(client) => createClient(account, client)}
    done={(made) => {
      onDone(made)
      return `The service account ${made.client_name} was created. Store its secret now.`
    }}
  >
    <p>It gets its tokens with an id and a secret. No person signs in for it.</p>
  </ChangeDialog>
)

const load = readGrants()

/** Programs that people of this account let in, and its service accounts. */
export const GrantsCard = ({ account }: { readonly account: string }) => {
  const loaded = useLoad(load)
  const [chosen, setChosen] = useState<Grant>()
  const [revokes, setRevokes] = useState(false)
  const [creates, setCreates] = useState(false)
  const [made, setMade] = useState<ReadonlyArray<MadeClient>>([])
  const columns = columnsOf((grant) => {
    setChosen(grant)
    setRevokes(true)
  })
  return (
    <>
      {made.map((client) => (
        <SecretNotice
          key={client.id}
          title={`The new service account ${client.client_name}`}
          secrets={[
            [client.client_id, "Copy the id"],
            [client.client_secret, "Copy the secret"]
          ]}
          onDone={() => setMade((before) => before.filter(({ id }) => id !== client.id))}
        >
          Store the id and the secret now.
        </SecretNotice>
      ))}
      <CreateClient
        account={account}
        open={creates}
        onClose={() => setCreates(false)}
        onDone={(client) => {
          setMade((before) => [...before, client])
          loaded.refresh()
        }}
      />
      {chosen === undefined ? null : (
        <ChangeDialog
          title="Revoke access"
          open={revokes}
          onClose={() => setRevokes(false)}
          fields={{}}
          submit="Revoke access"
          danger
          run={() => revokeGrant(chosen.id)}
          done={() => {
            loaded.refresh()
            return `${chosen.client_name} no longer has access.`
          }}
        >
          <p>
            <strong>{chosen.client_name}</strong> loses all its tokens at once.{" "}
            {chosen.machine ? "It cannot return. Create another instead." : "It can ask for access again."}
          </p>
        </ChangeDialog>
      )}
      <Card title="Apps" flush action={<Button onClick={() => setCreates(true)}>Create a service account</Button>}>
        <Loaded of={loaded}>
          {({ grants }) => (
            <Table
              label="Apps"
              columns={columns}
              rows={grants.filter((grant) => grant.account === account)}
              keyOf={({ id }) => id}
              empty={<Empty title="No app has access yet" />}
            />
          )}
        </Loaded>
      </Card>
    </>
  )
}
