import { AccountFace, type Accounts, type Grants } from "@tollgate/gateway"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Banner } from "./banner.ts"
import type { Live } from "./live.ts"
import { scenarios } from "./scenarios.ts"
import type { Settings } from "../settings/Settings.ts"

const loopback = /^(?:localhost|127\.[\d.]+|\[::1\])$/

/** Whether people reach the gateway from this machine alone, as far as its settings say. */
const isLocal = ({ baseUrl, trustedProxies }: Settings): boolean =>
  trustedProxies === 0 && (Option.isNone(baseUrl) || loopback.test(new URL(baseUrl.value).hostname))

/** The account API. Pages on this machine get a key that this start created, as long as it can only reach the sandbox. */
export const accountFace = (settings: Settings, { gateway, onlySandbox, pages, services }: Live, key: Banner["key"]) =>
  Effect.context<Accounts | Grants>().pipe(
    Effect.flatMap((context) =>
      Effect.provideContext(
        AccountFace.make(gateway, {
          sandbox: () => (pages() === undefined ? undefined : scenarios),
          demo: () => (key.is === "created" && isLocal(settings) && onlySandbox() ? key : undefined)
        }),
        Context.merge(context, services)
      )
    )
  )
