import type { IncomingMessage, ServerResponse } from "node:http"
import type { Provider } from "oidc-provider"
import { consoleId } from "@tollgate/gateway/driver"
import { newSignIn } from "../Storage.ts"
import { knownScopes } from "./client.ts"

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const resourcesIn = (value: unknown): ReadonlyArray<string> => [value].flat().map(text).filter(Boolean)

/** `undefined`: there is no such request, it has ended, or another browser began it. */
export const findInteraction = async (provider: Provider, req: IncomingMessage, res: ServerResponse, uid: string) => {
  const details = await provider.interactionDetails(req, res).catch((error: unknown) => {
    if (error instanceof Error && error.name === "SessionNotFound") return undefined
    throw error
  })
  if (details === undefined || details.uid !== uid) return undefined
  const { exp, params, result, returnTo } = details
  const clientId = text(params.client_id)
  const scopes = knownScopes(text(params.scope))
  const client = await provider.Client.find(clientId)

  /** The server would refuse to go on in the name of another account than before. */
  const forgetOtherAccount = async (account: string) => {
    const { session } = details
    if (session === undefined || session.accountId === account) return
    details.session = undefined
    await details.persist()
    await (await provider.Session.findByUid(session.uid))?.destroy()
  }

  return {
    /** `undefined`: it was registered, and is no more. */
    client: client && { id: clientId, name: client.clientName, isOwn: clientId === consoleId },
    redirectUri: text(params.redirect_uri),
    scopes,
    expiresAt: exp * 1_000,
    /** Where to go on, if the request was decided. */
    decided: result === undefined ? undefined : returnTo,
    /** Returns where to go on, as `deny` does. */
    approve: async (accountId: string, grantId: string) => {
      const grant = new provider.Grant({ accountId, clientId })
      // The server finds the grant, and whether it was taken back, by this id.
      const signIn = newSignIn(grantId)
      grant.jti = signIn
      grant.addOIDCScope([...scopes])
      for (const resource of resourcesIn(params.resource)) grant.addResourceScope(resource, [...scopes])
      await grant.save()
      await forgetOtherAccount(accountId)
      return provider.interactionResult(req, res, {
        login: { accountId, remember: false },
        consent: { grantId: signIn }
      })
    },
    deny: () =>
      provider.interactionResult(req, res, { error: "access_denied", error_description: "The request was denied." })
  }
}

/** A client's request for access, as the authorization server has checked it. */
export type Interaction = NonNullable<Awaited<ReturnType<typeof findInteraction>>>
