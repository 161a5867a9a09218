import type { Family } from "./errors/Family.ts"
import type { Operation } from "./Operation.ts"
import { isShared } from "./operations/modelGet.ts"
import { modelList } from "./operations/modelList.ts"

/** SDKs of models send parameters of their own, such as `beta=true`. */
const ofModels: ReadonlySet<Family> = new Set(["openai", "anthropic", "gemini"])

export const isOfModels = ({ family }: Pick<Operation, "family">): boolean => ofModels.has(family)

/** Whether parameters of the query pass that nobody described. The gateway ignores none where it answers itself. */
export const takesOtherParameters = ({
  family,
  otherParameters,
  pending,
  upstream
}: Pick<Operation, "family" | "otherParameters" | "pending" | "upstream">): boolean =>
  otherParameters === true ||
  (upstream !== "gateway" && isOfModels({ family })) ||
  pending.some(({ open }) => open === "parameter" || open === "request")

/** For readers of an operation that takes them. */
export const aboutOtherParameters = (operation: Pick<Operation, "family" | "upstream">): string => {
  const named = "Parameters that are not named here, under their own names."
  if (operation.upstream === "gateway") return `${named} They are ignored.`
  const but = isOfModels(operation) ? ", except those that change the form of the answer: these get 400" : ""
  return `${named} They go to the upstream unchanged${but}.`
}

/** Parameters that Anthropic's SDKs send to what the gateway answers itself, beside those that the operation declares. */
export const vendorQuery = ({ id }: Pick<Operation, "id">) => {
  if (!isShared(id)) return []
  const paging = (name: string, schema: object) => ({ name, description: "With anthropic-version only.", schema })
  return [
    ...(id === modelList.id
      ? [
          paging("limit", { type: "integer", minimum: 1, maximum: 1000 }),
          paging("after_id", { type: "string" }),
          paging("before_id", { type: "string" })
        ]
      : []),
    { name: "beta", description: "Anthropic's SDKs send it. It changes nothing.", schema: { type: "string" } }
  ]
}
