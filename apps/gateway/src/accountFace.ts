import { AccountFace, type Accounts, type Grants } from "@tollgate/gateway"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Banner } from "./banner.ts"
import type { Live } from "./live.ts"
import { scenarios } from "./scenarios.ts"

/** The account API. Pages on this machine get a key that this start created, as long as it can only reach the sandbox. */
export const accountFace = ({ gateway, onlySandbox, pages, services }: Live, key: Banner["key"]) =>
  Effect.context<Accounts | Grants>().pipe(
    Effect.flatMap((context) =>
      Effect.provideContext(
        AccountFace.make(gateway, {
          sandbox: () => (pages() === undefined ? undefined : scenarios),
          demo: () => (key.is === "created" && onlySandbox() ? key : undefined)
        }),
        Context.merge(context, services)
      )
    )
  )
