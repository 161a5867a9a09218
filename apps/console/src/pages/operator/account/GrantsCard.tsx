import { createClient, grants as readGrants, revokeGrant } from "@tollgate/client/admin"
import { type MadeClient, NewClient } from "@tollgate/contract/admin/Client"
import type { Grant } from "@tollgate/contract/admin/Grant"
import { useLoad } from "@tollgate/react"
import { ChangeButton, endField } from "../../../ui/ChangeButton.tsx"
import { Tag } from "../../../ui/kit.tsx"
import { type Column, List, Named } from "../../../ui/Table.tsx"
import { dateOnly } from "../../../ui/times.ts"
import { useSecrets } from "../../../ui/Secrets.tsx"

const columnsOf = (onRevoked: () => void): ReadonlyArray<Column<Grant>> => [
  {
    head: "App",
    kind: "name",
    cell: ({ client_name, id, machine }) => (
      <Named id={id}>
        {client_name} {machine ? <Tag>service account</Tag> : null}
      </Named>
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
        <ChangeButton
          label="Revoke"
          name={`Revoke the access of ${grant.client_name}`}
          title="Revoke access"
          submit="Revoke access"
          danger
          run={() => revokeGrant(grant.id)}
          onDone={onRevoked}
          done={() => `${grant.client_name} no longer has access.`}
        >
          <p>
            <strong>{grant.client_name}</strong> loses all its tokens at once.{" "}
            {grant.machine ? "It cannot return. Create another instead." : "It can ask for access again."}
          </p>
        </ChangeButton>
      )
  }
]

interface CreateClientProps {
  readonly account: string
  readonly onDone: (client: MadeClient) => void
}

const isProposed = "Empty: the default for new apps."

const CreateClient = ({ account, onDone }: CreateClientProps) => (
  <ChangeButton
    label="Create a service account"
    schema={NewClient}
    fields={{
      name: { label: "Label", hint: "What it does." },
      limit_micros_usd: { label: "Budget in USD", hint: `In total. ${isProposed}`, empty: undefined },
      day_limit_micros_usd: {
        label: "Daily budget in USD",
        hint: `Resets at midnight UTC. ${isProposed}`,
        empty: undefined
      },
      allowed: {
        label: "Categories",
        hint: "What it may call, separated by commas. Empty: everything.",
        read: (text) => ({ categories: text.split(/[\s,]+/).filter(Boolean), operations: [] })
      },
      ends_at: endField("by default"),
      reads_usage: { label: "It may also read what the account used" }
    }}
    submit="Create the service account"
    run={(client) => createClient(account, client)}
    onDone={onDone}
    done={({ client_name: name }) => `The service account ${name} was created. Store its secret now.`}
  >
    <p>It gets its tokens with an id and a secret. No person signs in for it.</p>
  </ChangeButton>
)

const load = readGrants()

/** Programs that people of this account let in, and its service accounts. */
export const GrantsCard = ({ account }: { readonly account: string }) => {
  const loaded = useLoad(load)
  const { keep, notices } = useSecrets()
  const isNew = ({ client_id, client_name, client_secret, id }: MadeClient) => {
    keep({
      id,
      title: `The new service account ${client_name}`,
      texts: [
        ["Copy the id", client_id],
        ["Copy the secret", client_secret]
      ]
    })
    loaded.refresh()
  }
  return (
    <>
      {notices}
      <List
        title="Apps"
        of={loaded}
        action={<CreateClient account={account} onDone={isNew} />}
        columns={columnsOf(loaded.refresh)}
        rows={({ grants }) => grants.filter((grant) => grant.account === account)}
        keyOf={({ id }) => id}
        empty="No app has access yet"
      />
    </>
  )
}
