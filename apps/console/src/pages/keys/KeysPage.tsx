import { changeKey, createKey, keys, revokeKey, rotateKey } from "@tollgate/client/account"
import type { OwnKeys } from "@tollgate/contract/account/Key"
import { Card } from "../../ui/kit.tsx"
import { Table } from "../../ui/Table.tsx"
import { AccessPage } from "../grants/access.tsx"
import { ownCategories } from "../grants/EditGrant.tsx"
import { type KeySide, useKeys } from "./EditKey.tsx"

const side: KeySide<OwnKeys> = {
  load: keys(),
  categories: ownCategories,
  create: createKey,
  change: changeKey,
  rotate: rotateKey,
  revoke: ({ id, own }, isLast) => revokeKey(id, isLast ? "last" : own === true ? "own" : undefined)
}

export const KeysPage = () => {
  const {
    create,
    loaded,
    notices,
    table: { rows, ...table }
  } = useKeys(side)
  return (
    <AccessPage
      title="Keys"
      lead="Programs call with a key. Give each its own, with what it may spend and do."
      actions={create}
      of={loaded}
      above={notices}
    >
      {(found) => (
        <Card flush={found.keys.length > 0}>
          <Table label="Keys" rows={rows(found)} {...table} />
        </Card>
      )}
    </AccessPage>
  )
}
