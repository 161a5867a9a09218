import type { AllowedOperations } from "@tollgate/contract/account/Access"
import type { Amount } from "@tollgate/contract/account/Amount"
import type { UseLoad } from "@tollgate/react/effect"
import type { ReactNode } from "react"
import { usd } from "../../ui/amounts.ts"
import { Card, Empty, Loaded, Page, type PageProps, Skeleton, Tag } from "../../ui/kit.tsx"
import { Bar } from "../../ui/Meter.tsx"
import type { Column } from "../../ui/Table.tsx"
import { ago, dateOnly, fullTime } from "../../ui/times.ts"

/** What a key and an app have in common. */
interface Access {
  readonly id: string
  readonly created_at: string
  readonly last_used_at: string | null
  readonly ends_at: string | null
  readonly ended: boolean
  readonly allowed: AllowedOperations | null
  readonly spent_micros_usd: Amount
  readonly spent_today_micros_usd: Amount
}

interface Described {
  readonly name: string
  readonly mark: ReactNode
  /** What it may do, a line each. */
  readonly lines: ReadonlyArray<string>
  readonly lastUsed: (at: string) => string
  readonly budget: Amount | null
  /** What it spent in a time, and may spend. */
  readonly spans: ReadonlyArray<readonly [when: string, spent: Amount, budget: Amount | null]>
}

const isReached = (spent: Amount, budget: Amount | null): boolean => budget !== null && BigInt(spent) >= BigInt(budget)

/** What has access, since when, what it spent, and what can be done about it. */
export const accessColumns = <Row extends Access>(
  head: string,
  now: number,
  describe: (row: Row) => Described,
  actions: (row: Row) => ReactNode
): ReadonlyArray<Column<Row>> => [
  {
    head,
    kind: "name",
    cell: (row) => {
      const { budget, lines, mark, name, spans } = describe(row)
      const isSpent = [[row.spent_micros_usd, budget] as const, ...spans.map(([, ...span]) => span)].some((span) =>
        isReached(...span)
      )
      const only = row.allowed && [...row.allowed.categories, ...row.allowed.operations].join(", ")
      return (
        <>
          <span className="wrap">
            <bdi>{name}</bdi> {mark} {isSpent && !row.ended ? <Tag kind="bad">Budget reached</Tag> : null}
          </span>
          <span className="mono soft">{row.id}</span>
          {[...(only === null ? [] : [`only ${only || "free operations"}`]), ...lines].map((line) => (
            <span key={line} className="soft small wrap">
              {line}
            </span>
          ))}
        </>
      )
    }
  },
  {
    head: "Since",
    cell: (row) => (
      <div>
        <time dateTime={row.created_at} title={fullTime(row.created_at)}>
          {dateOnly(row.created_at)}
        </time>
        <div className="soft small" title={row.last_used_at === null ? undefined : fullTime(row.last_used_at)}>
          {row.last_used_at === null
            ? "no billed call yet"
            : `last billed call ${describe(row).lastUsed(row.last_used_at)}`}
        </div>
        {row.ends_at === null || row.ended ? null : (
          <div className="soft small" title={fullTime(row.ends_at)}>
            ends{" "}
            {Date.parse(row.ends_at) - now < 2 * 86_400_000 ? ago(row.ends_at, now) : `on ${dateOnly(row.ends_at)}`}
          </div>
        )}
      </div>
    )
  },
  {
    head: "Spent",
    usd: (row) => row.spent_micros_usd,
    cell: (row, text) => {
      const { budget, name, spans } = describe(row)
      return (
        <div>
          {text}
          <div className="soft small">{budget === null ? "no budget" : `of ${usd(budget)}`}</div>
          {budget === null ? null : (
            <Bar label={`Spent by ${name}`} used={Number(row.spent_micros_usd)} limit={Number(budget)} words={text} />
          )}
          {spans.map(([when, spent, budget]) =>
            budget === null && Number(spent) === 0 ? null : (
              <div key={when} className="soft small">
                {when} {usd(spent)}
                {budget === null ? "" : ` of ${usd(budget)}`}
              </div>
            )
          )}
        </div>
      )
    }
  },
  { head: "Actions", kind: "actions", cell: (row) => (row.ended ? <Tag>ended</Tag> : actions(row)) }
]

interface AccessPageProps<A> extends Omit<PageProps, "children"> {
  readonly of: UseLoad<A, { readonly message: string }>
  readonly above: ReactNode
  readonly children: (found: A) => ReactNode
}

/** A page that a limited credential does not see. Another credential helps, and another attempt does not. */
export const AccessPage = <A,>({ above, actions, children, of, ...page }: AccessPageProps<A>) => {
  const { error } = of
  const isRefused = error !== undefined && "status" in error && error.status === 403
  return (
    <Page {...page} actions={isRefused ? undefined : actions}>
      {above}
      {isRefused ? (
        <Empty inCard title={`This credential cannot see ${page.title.toLowerCase()}`}>
          <p>{error.message}</p>
        </Empty>
      ) : (
        <Loaded
          of={of}
          stale="The list below may be out of date."
          loading={
            <Card>
              <Skeleton lines={5} />
            </Card>
          }
        >
          {children}
        </Loaded>
      )}
    </Page>
  )
}
