import { countTokens } from "@tollgate/contract/operations/countTokens"
import { messages } from "@tollgate/contract/operations/messages"
import type { Route, Target } from "./Route.ts"

/** The operations that go where another one goes if they have no route of their own, and what their path adds to its path. */
const sharing = [{ operation: countTokens.id, like: messages.id, suffix: "/count_tokens" }] as const

/** The routes that operations share with others. */
export const sharedRoutes = <T extends Target>(routes: ReadonlyArray<Route<T>>): ReadonlyArray<Route<T>> =>
  sharing.flatMap(({ like, operation, suffix }) =>
    routes
      .filter((route) => route.operation === like)
      .map(({ to, ...route }) => ({
        ...route,
        operation,
        to: to.map((target) => (target.path === undefined ? target : { ...target, path: target.path + suffix }))
      }))
  )
