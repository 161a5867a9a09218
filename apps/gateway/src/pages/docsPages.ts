import { Docs, type Face, type Gateway } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import { limitPage } from "./limitPage.ts"

/** The reference at `/docs`, limited by address. */
export const docsPages = (gateway: () => Gateway.Gateway, options: Docs.Options) =>
  Effect.map(Docs.make(gateway, options), (docs): Face.Face => {
    const limited = limitPage("the documentation")
    return (request) => {
      const answer = docs(request)
      return answer && limited(request, answer)
    }
  })
