import { useSearch } from "@tanstack/react-router"
import {
  changeOperator,
  createOperator,
  createOperatorToken,
  endOperator,
  endOperatorToken,
  linkOperator,
  me,
  operators,
  operatorTokens
} from "@tollgate/client/admin"
import {
  type Me,
  NewOperator,
  NewOperatorToken,
  type Operator,
  OperatorTerms,
  type OperatorToken,
  roles
} from "@tollgate/contract/admin/Operator"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { useState } from "react"
import { usd } from "../../../ui/amounts.ts"
import { ChangeButton } from "../../../ui/ChangeButton.tsx"
import { Code, Loaded, Notice, Page, Skeleton, Tag } from "../../../ui/kit.tsx"
import { type Column, Named, TableCard } from "../../../ui/Table.tsx"
import { dateOnly, fullTime } from "../../../ui/times.ts"
import { TrailCard } from "./TrailCard.tsx"

const load = Effect.map(
  Effect.all([me(), operators(), operatorTokens()], { concurrency: "unbounded" }),
  ([me, { operators }, { tokens }]) => ({ me, operators, tokens })
)

const roleOptions = Object.entries(roles).map(([role, words]) => [role, `${role}: ${words}`] as const)

/** A link or a token, which only this page has, and only now. */
interface Made {
  readonly title: string
  readonly code: string
  readonly words: string
}

interface TeamProps {
  readonly me: Me
  readonly refresh: () => void
  readonly onMade: (made: Made) => void
}

const operatorColumns = ({ onMade, refresh }: TeamProps): ReadonlyArray<Column<Operator>> => [
  { head: "Name", kind: "name", cell: ({ id, name }) => <Named id={id}>{name}</Named> },
  { head: "Role", cell: ({ ended, role }) => (ended ? <Tag kind="bad">Ended</Tag> : <Tag>{role}</Tag>) },
  { head: "Signs in", cell: ({ provider }) => provider ?? "by link" },
  { head: "Last seen", cell: ({ last_seen_at: at }) => (at === null ? "never" : fullTime(at)) },
  {
    head: "Actions",
    kind: "actions",
    cell: ({ ended, id, name, provider, role }) => (
      <>
        <ChangeButton
          label="Change"
          may="changeOperator"
          name={`Change ${name}`}
          schema={OperatorTerms}
          fields={{
            name: { label: "Name", initial: name },
            role: { label: "Role", initial: role, options: roleOptions }
          }}
          submit={ended ? "Let in again" : "Change"}
          run={(terms) => changeOperator(id, terms)}
          onDone={refresh}
          done={(made) => `${made.name} is ${made.role} now.`}
        />
        {ended || provider !== null ? null : (
          <ChangeButton
            label="Sign-in link"
            may="linkOperator"
            name={`Sign-in link for ${name}`}
            submit="Make the link"
            run={() => linkOperator(id)}
            onDone={({ url }) =>
              onMade({ title: `Link for ${name}`, code: url, words: "It signs in once, within 15 minutes." })
            }
          >
            <p>Send it to {name} by a way that only they read.</p>
          </ChangeButton>
        )}
        {ended ? null : (
          <ChangeButton
            label="End"
            may="endOperator"
            name={`End ${name}`}
            danger
            submit={`End ${name}`}
            run={() => endOperator(id)}
            onDone={refresh}
            done={() => `${name} was ended, with all sessions and tokens.`}
          >
            <p>It holds at the next request. A role lets them in again.</p>
          </ChangeButton>
        )}
      </>
    )
  }
]

const tokenColumns = ({ me: { id: own, role }, refresh }: TeamProps): ReadonlyArray<Column<OperatorToken>> => [
  { head: "Token", kind: "name", cell: ({ id, label }) => <Named id={id}>{label}</Named> },
  { head: "Role", cell: ({ ended, role }) => (ended ? <Tag kind="bad">Ended</Tag> : <Tag>{role}</Tag>) },
  { head: "Of", className: "mono", cell: ({ operator }) => operator },
  { head: "Ends", cell: ({ ends_at: at }) => dateOnly(at) },
  { head: "Last used", cell: ({ last_used_at: at }) => (at === null ? "never" : fullTime(at)) },
  {
    head: "Actions",
    kind: "actions",
    cell: ({ ended, id, label, operator }) =>
      ended || (role !== "owner" && operator !== own) ? null : (
        <ChangeButton
          label="End"
          name={`End ${label}`}
          danger
          submit="End the token"
          run={() => endOperatorToken(id)}
          onDone={refresh}
          done={() => `The token ${label} was ended.`}
        >
          <p>Programs that use it are refused from now on.</p>
        </ChangeButton>
      )
  }
]

const whoIs = ({ id, name, refund_limit_micros_usd: limit, role }: Me): string =>
  id === null
    ? "You use the shared token, which belongs to nobody. Add an operator for each person, and sign in by a link."
    : `You are ${name}: ${role}, ${roles[role]}${limit === null ? "" : ` of ${usd(limit)}`}.`

/** Who operates the gateway, what they may do, and what they did. */
export const TeamPage = () => {
  const { of = "" } = useSearch({ from: "/operator/team" })
  const loaded = useLoad(load)
  const [made, setMade] = useState<Made>()
  const { refresh } = loaded
  return (
    <Page title="Team" lead="Who operates this gateway, and who changed what.">
      {made === undefined ? null : (
        <Notice kind="good" title={made.words}>
          <Code title={made.title} code={made.code} />
        </Notice>
      )}
      <Loaded of={loaded} loading={<Skeleton lines={6} />}>
        {({ me, operators, tokens }) => {
          const team = { me, refresh, onMade: setMade }
          return (
            <>
              <p className="soft">{whoIs(me)}</p>
              <TableCard
                title="Operators"
                columns={operatorColumns(team)}
                rows={operators}
                keyOf={({ id }) => id}
                empty="No operators yet: everybody shares the token"
                action={
                  <ChangeButton
                    label="Add an operator"
                    may="createOperator"
                    ask="an owner to change this"
                    kind="main"
                    schema={NewOperator}
                    fields={{
                      name: { label: "Name" },
                      role: { label: "Role", initial: "reader", options: roleOptions }
                    }}
                    submit="Add"
                    run={createOperator}
                    onDone={refresh}
                    done={({ name }) => `${name} was added. Make a sign-in link for them.`}
                  />
                }
              />
              <TableCard
                title="Tokens for programs"
                columns={tokenColumns(team)}
                rows={tokens}
                keyOf={({ id }) => id}
                empty={me.id === null ? "Operators make tokens here" : "No tokens yet"}
                action={
                  me.id === null ? undefined : (
                    <ChangeButton
                      label="Make a token"
                      schema={NewOperatorToken}
                      fields={{
                        label: { label: "Label", hint: "What it is for." },
                        role: { label: "Role", initial: me.role, options: roleOptions },
                        days: { label: "Days", kind: "count", initial: "90" }
                      }}
                      submit="Make the token"
                      run={createOperatorToken}
                      onDone={({ label, token }) => {
                        setMade({ title: label, code: token, words: "This is the token, shown this once: keep it." })
                        refresh()
                      }}
                    />
                  )
                }
              />
            </>
          )
        }}
      </Loaded>
      <TrailCard key={of} of={of} />
    </Page>
  )
}
