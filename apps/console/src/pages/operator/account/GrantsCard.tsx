import { changeGrant, createClient, grants as readGrants, revokeGrant } from "@tollgate/client/admin"
import { type MadeClient, NewClient } from "@tollgate/contract/admin/Client"
import { useLoad } from "@tollgate/react/effect"
import { ChangeButton, endField } from "../../../ui/ChangeButton.tsx"
import { useSecrets } from "../../../ui/Secrets.tsx"
import { List } from "../../../ui/Table.tsx"
import { useNow } from "../../../ui/times.ts"
import { allowedField, grantColumns, type GrantSide } from "../../grants/EditGrant.tsx"
import { allCategories } from "./KeysCard.tsx"

interface CreateClientProps {
  readonly account: string
  readonly onDone: (client: MadeClient) => void
}

const isProposed = "Empty: the default for new apps."

const CreateClient = ({ account, onDone }: CreateClientProps) => (
  <ChangeButton
    label="Create a service account"
    may="createClient"
    schema={NewClient}
    fields={{
      name: { label: "Label", hint: "What it does." },
      limit_micros_usd: { label: "Budget in USD", hint: `In total. ${isProposed}`, empty: undefined },
      day_limit_micros_usd: {
        label: "Daily budget in USD",
        hint: `Resets at midnight UTC. ${isProposed}`,
        empty: undefined
      },
      allowed: allowedField(null, allCategories),
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
const side: GrantSide = { categories: allCategories, change: changeGrant, revoke: revokeGrant }

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
        columns={grantColumns(useNow(10_000), side, loaded.refresh)}
        rows={({ grants }) => grants.filter((grant) => grant.account === account)}
        keyOf={({ id }) => id}
        empty="No app has access yet"
      />
    </>
  )
}
