import { isAllowed } from "../../identity/grant/Allowed.ts"
import { whereToChange } from "../../identity/grant/Resources.ts"
import { notChosen } from "../../identity/grant/scopes.ts"
import type { Caller } from "./Caller.ts"
import type { Permission } from "./catalogue/Index.ts"
import { errorOf } from "./refusal.ts"
import type { ToolError } from "./shapes.ts"

/**
 * What the caller may find. `undefined`: everything. A scope that is missing hides nothing: the refusal of the call leads the
 * client to ask for it.
 */
export const permissionOf = ({ authenticated, gateway }: Caller): Permission | undefined => {
  const grant = authenticated.principal?.grant
  return grant?.allows === undefined
    ? undefined
    : {
        isAllowed: (operation) => isAllowed(grant.allows, operation),
        howToChange: whereToChange("More can be allowed", gateway.resources, grant)
      }
}

/** The refusal that a call of the operation would get, if the caller's grant does not allow it. */
export const notAllowed = (caller: Caller, operationId: string): ToolError | undefined => {
  const { catalogue, resources } = caller.gateway
  const operation = catalogue.byId.get(operationId)
  const grant = caller.authenticated.principal?.grant
  if (operation === undefined || grant === undefined || isAllowed(grant.allows, operation)) return undefined
  return errorOf(notChosen(operation, grant, resources), false)
}
