import type { Profile } from "@tollgate/contract/account/Profile"
import { useSessions } from "../session/SessionProvider.tsx"
import { Button } from "../ui/Button.tsx"
import { usd } from "../ui/amounts.ts"
import { fullTime } from "../ui/times.ts"
import { Icon } from "../ui/Icon.tsx"

const by = { key: "an API key, in memory until this page is left", demo: "the demo key", oauth: "OAuth" } as const

const nameOf = (label: string, id: string): string => (label === "" ? id : label)

const Facts = ({ account, credential, spendable_micros_usd }: Profile) => (
  <dl className="facts">
    <dt>{credential.kind === "key" ? "Key" : "Program"}</dt>
    <dd>{nameOf(credential.label, credential.id)}</dd>
    <dt>Account</dt>
    <dd>{nameOf(account.label, account.id)}</dd>
    <dt>Sees</dt>
    <dd>{credential.scope === "key" ? "the calls of this key" : "the whole account"}</dd>
    <dt>Can spend</dt>
    <dd>{usd(spendable_micros_usd)}</dd>
    {credential.ends_at === null ? null : (
      <>
        <dt>Ends</dt>
        <dd>{fullTime(credential.ends_at)}</dd>
      </>
    )}
  </dl>
)

/** Who is signed in, and the way out. */
export const AccountMenu = ({ profile }: { readonly profile: Profile | undefined }) => {
  const { session, signOut } = useSessions()
  const name = profile === undefined ? "Account" : nameOf(profile.credential.label, profile.credential.id)
  return (
    <>
      <button type="button" className="round who" popoverTarget="account" aria-label={`Signed in: ${name}`}>
        <Icon name="person" />
        <span aria-hidden="true">{name}</span>
      </button>
      <div id="account" className="drop" popover="auto">
        {profile === undefined ? null : <Facts {...profile} />}
        <p className="soft small">Signed in with {by[session?.by ?? "key"]}.</p>
        <Button onClick={signOut}>Sign out</Button>
      </div>
    </>
  )
}
