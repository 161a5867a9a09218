import { Link } from "@tanstack/react-router"
import { models } from "@tollgate/client/account"
import type { ModelOperation, OfferedModel } from "@tollgate/contract/account/Models"
import { kindNames, kinds } from "@tollgate/contract/price/TokenKind"
import { useLoad } from "@tollgate/react/effect"
import { useState } from "react"
import { count, counted, shortCount } from "../../ui/amounts.ts"
import { ChoiceField, SearchField } from "../../ui/form.tsx"
import { Copy, dash, Empty, Loaded, OperationId, Page, Skeleton } from "../../ui/kit.tsx"
import { type Column, TableCard } from "../../ui/Table.tsx"
import { modelFragment } from "../playground/state/Draft.ts"
import styles from "./models.module.css"

const load = models()

/** The prices of most models are the same by every operation. */
const priceOf = ({ operations }: OfferedModel): ModelOperation | undefined =>
  operations.find(({ rates }) => rates !== null) ?? operations[0]

/** What else its price depends on, and the operations that reach it. */
const More = (model: OfferedModel) => {
  const { id, operations, owned_by } = model
  const price = priceOf(model)
  const { also = [], long_prompt: long = null, rates = null } = price ?? {}
  return (
    <details className={styles["more"]}>
      <summary>
        {[owned_by, rates === null ? price?.price : null, counted(operations.length, "operation")]
          .filter(Boolean)
          .join(" · ")}
      </summary>
      <ul>
        {operations.map((operation) => (
          <li key={operation.id}>
            <Link to="/playground/$operation" params={{ operation: operation.id }} hash={modelFragment(id)}>
              <OperationId id={operation.id} />
            </Link>
            <small className="soft">
              {operation.is_translated ? "translated to " : ""}
              {operation.protocols.join(", ")}
            </small>
            {operation.price === price?.price ? null : <small>{operation.price}</small>}
          </li>
        ))}
      </ul>
      {long === null ? null : (
        <p>
          Prompts above {count(long.above)} tokens: ${long.rates["input"]} in, ${long.rates["output"]} out.
        </p>
      )}
      {also.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <Copy text={id} label="Copy the name" />
    </details>
  )
}

const rateColumns: ReadonlyArray<Column<OfferedModel>> = kindNames.map((kind, at) => ({
  head: kinds[kind].title,
  kind: "number",
  extra: at > 1,
  cell: (model) => {
    const rate = priceOf(model)?.rates?.[kind]
    return rate === undefined ? dash : `$${rate.includes(".") ? rate : `${rate}.00`}`
  }
}))

const sizeColumn = (head: string, of: "context_window" | "max_output"): Column<OfferedModel> => ({
  head,
  kind: "number",
  extra: of === "max_output",
  title: ({ [of]: tokens }) => (tokens === null ? undefined : `${count(tokens)} tokens`),
  cell: ({ [of]: tokens }) => (tokens === null ? dash : shortCount(tokens))
})

const columns: ReadonlyArray<Column<OfferedModel>> = [
  {
    head: "Model",
    kind: "name",
    cell: (model) => (
      <>
        <bdi className={styles["id"]}>{model.id}</bdi>
        <More {...model} />
      </>
    )
  },
  sizeColumn("Context", "context_window"),
  sizeColumn("Max output", "max_output"),
  ...rateColumns,
  {
    head: "Try it",
    kind: "actions",
    cell: ({ id, operations: [operation] }) =>
      operation === undefined ? null : (
        <Link
          to="/playground/$operation"
          params={{ operation: operation.id }}
          hash={modelFragment(id)}
          aria-label={`Try ${id}`}
        >
          Try
        </Link>
      )
  }
]

const orders = [
  ["name", "Name"],
  ["input", "Input price"],
  ["output", "Output price"],
  ["context", "Longest context"]
] as const

type Order = (typeof orders)[number][0]

/** What has none is last. */
const rank = (model: OfferedModel, order: Order): number =>
  order === "name"
    ? 0
    : order === "context"
      ? -(model.context_window ?? 0)
      : Number(priceOf(model)?.rates?.[order] ?? Infinity)

const matches = ({ id, operations, owned_by }: OfferedModel, text: string): boolean =>
  [id, owned_by ?? "", ...operations.map((operation) => operation.id)].some((part) => part.toLowerCase().includes(text))

/** All models with list prices, and the operations that reach them. */
export const ModelsPage = () => {
  const loaded = useLoad(load)
  const [text, setText] = useState("")
  const [order, setOrder] = useState<Order>("name")
  return (
    <Page title="Models" lead="Prices in USD per 1M tokens.">
      <Loaded of={loaded} loading={<Skeleton lines={12} />}>
        {({ models }) => {
          const found = models
            .filter((model) => matches(model, text.trim().toLowerCase()))
            .toSorted((a, b) => rank(a, order) - rank(b, order) || a.id.localeCompare(b.id))
          return (
            <>
              <div className={styles["tools"]}>
                <SearchField
                  label="Search models"
                  placeholder="Model, owner or operation"
                  value={text}
                  onChange={setText}
                />
                <ChoiceField label="Sort by" options={orders} value={order} onChange={setOrder} />
              </div>
              <TableCard
                title={counted(found.length, "model")}
                className={`stack ${styles["table"] ?? ""}`}
                columns={columns}
                rows={found}
                keyOf={({ id }) => id}
                empty={
                  models.length === 0 ? (
                    <Empty title="No models yet">The operator lists them in the configuration file.</Empty>
                  ) : (
                    "No model matches"
                  )
                }
              />
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}
