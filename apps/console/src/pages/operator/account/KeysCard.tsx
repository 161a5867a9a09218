import { changeKey, createKey, keys, prices, revokeKey, rotateKey } from "@tollgate/client/admin"
import type { Keys } from "@tollgate/contract/admin/Account"
import * as Effect from "effect/Effect"
import { useMemo } from "react"
import { List } from "../../../ui/Table.tsx"
import type { Categories } from "../../grants/EditGrant.tsx"
import { type KeySide, useKeys } from "../../keys/EditKey.tsx"

export const allCategories: Categories = Effect.map(prices(), ({ prices }) => prices.map(({ category }) => category))

const sideOf = (account: string): KeySide<Keys> => ({
  load: Effect.map(keys(account), ({ keys }) => ({ keys: keys.toReversed() })),
  categories: allCategories,
  create: (terms) => createKey(account, terms),
  change: changeKey,
  rotate: rotateKey,
  revoke: ({ id }) => revokeKey(id)
})

export const KeysCard = ({ account }: { readonly account: string }) => {
  const { create, loaded, notices, table } = useKeys(useMemo(() => sideOf(account), [account]))
  return (
    <>
      {notices}
      <List title="Keys" of={loaded} action={create} {...table} />
    </>
  )
}
