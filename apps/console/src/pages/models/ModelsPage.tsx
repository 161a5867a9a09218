import { Link } from "@tanstack/react-router"
import { models } from "@tollgate/client/account"
import type { ModelOperation, OfferedModel } from "@tollgate/contract/account/Models"
import { kindNames, kinds } from "@tollgate/contract/price/TokenKind"
import { useLoad } from "@tollgate/react/effect"
import { useState } from "react"
import { count } from "../../ui/amounts.ts"
import { SearchField } from "../../ui/form.tsx"
import { Loaded, OperationId, Page, Skeleton, Tag } from "../../ui/kit.tsx"
import { type Column, TableCard } from "../../ui/Table.tsx"
import { modelFragment } from "../playground/state/Draft.ts"
import styles from "./models.module.css"

const load = models()

/** The prices of most models are the same by every operation. */
const priceOf = ({ operations }: OfferedModel): ModelOperation | undefined =>
  operations.find(({ rates }) => rates !== null) ?? operations[0]

const hasOwnPrice = (operation: ModelOperation, price: ModelOperation | undefined): boolean =>
  price !== undefined && operation.price !== price.price

const tokens = (value: number | null) => (value === null ? <span className="soft">–</span> : count(value))

const Operations = ({ id, operations, ...model }: OfferedModel) => {
  const price = priceOf({ id, operations, ...model })
  return (
    <ul className={styles["operations"]}>
      {operations.map((operation) => (
        <li key={operation.id}>
          <Link
            to="/playground/$operation"
            params={{ operation: operation.id }}
            hash={modelFragment(id)}
            title={`Try ${id} by ${operation.id}`}
          >
            <OperationId id={operation.id} />
          </Link>
          {operation.protocols.length === 0 ? null : (
            <small className="soft">
              {operation.is_translated ? "translated to " : ""}
              {operation.protocols.join(", ")}
            </small>
          )}
          {hasOwnPrice(operation, price) ? <small>{operation.price}</small> : null}
        </li>
      ))}
    </ul>
  )
}

/** What else its price depends on. */
const More = (model: OfferedModel) => {
  const { also = [], long_prompt: long = null } = priceOf(model) ?? {}
  if (also.length === 0 && long === null) return null
  const words = [
    ...(long === null
      ? []
      : [`prompts above ${count(long.above)} tokens: $${long.rates["input"]} in, $${long.rates["output"]} out`]),
    ...also
  ]
  return (
    <details className={styles["more"]}>
      <summary>More</summary>
      <ul>
        {words.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  )
}

const rateColumns: ReadonlyArray<Column<OfferedModel>> = kindNames.map((kind, at) => ({
  head: kinds[kind].title,
  kind: "number",
  extra: at > 1,
  cell: (model) => {
    const rate = priceOf(model)?.rates?.[kind]
    return rate === undefined ? <span className="soft">–</span> : `$${rate}`
  }
}))

const columns: ReadonlyArray<Column<OfferedModel>> = [
  {
    head: "Model",
    kind: "name",
    cell: (model) => (
      <>
        <span className={styles["id"]}>{model.id}</span>
        {model.owned_by === null ? null : <span className="soft small">{model.owned_by}</span>}
        {priceOf(model)?.rates == null ? <span className="small">{priceOf(model)?.price}</span> : <More {...model} />}
      </>
    )
  },
  { head: "Context", kind: "number", extra: true, cell: ({ context_window }) => tokens(context_window) },
  { head: "Most output", kind: "number", extra: true, cell: ({ max_output }) => tokens(max_output) },
  ...rateColumns,
  { head: "Reached by", cell: Operations }
]

const matches = ({ id, operations, owned_by }: OfferedModel, text: string): boolean =>
  [id, owned_by ?? "", ...operations.map((operation) => operation.id)].some((part) => part.toLowerCase().includes(text))

const Found = ({ all, text }: { readonly all: ReadonlyArray<OfferedModel>; readonly text: string }) => {
  const found = all.filter((model) => matches(model, text.trim().toLowerCase()))
  return (
    <TableCard
      title="Models"
      action={<Tag>{count(found.length)}</Tag>}
      className={`stack ${styles["table"] ?? ""}`}
      columns={columns}
      rows={found}
      keyOf={({ id }) => id}
      empty={all.length === 0 ? "No model is offered" : "No model matches"}
    />
  )
}

/** All models with list prices, and the operations that reach them. */
export const ModelsPage = () => {
  const loaded = useLoad(load)
  const [text, setText] = useState("")
  return (
    <Page title="Models" lead="List prices in USD per 1M tokens. Choose an operation to try the model.">
      <Loaded of={loaded} loading={<Skeleton lines={12} />}>
        {({ models }) => (
          <>
            <SearchField
              className={styles["search"]}
              label="Search models"
              placeholder="Model, owner or operation"
              value={text}
              onChange={setText}
            />
            <Found all={models} text={text} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
