import { checkConfiguration, configuration, reloadConfiguration } from "@tollgate/client/admin"
import { Link } from "@tanstack/react-router"
import type { ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { useState } from "react"
import { ChangeButton } from "../../../ui/ChangeButton.tsx"
import { Button, Loaded, Notice, Page, Skeleton } from "../../../ui/kit.tsx"
import { ConfigurationChanges, loadConfigurationChanges } from "../prices/ConfigurationChanges.tsx"
import { Problems } from "../parts.tsx"
import { CurrentConfiguration } from "../CurrentConfiguration.tsx"

/** How the file stands, after a check or a reload. */
const verdictOf = ({ in_force: inForce, needs_restart: waiting, valid }: ConfigurationCheck, isReload: boolean) => {
  if (!valid) return ["bad", "The file has errors. The gateway keeps the old configuration."] as const
  if (isReload && waiting !== undefined)
    return [
      "warn",
      `The file is in use, except ${waiting.join(", ")}. Restart the gateways to apply the rest.`
    ] as const
  if (!inForce) return ["warn", "The file is valid. Reload to use it."] as const
  return ["good", isReload ? "The new file is in use." : "The file is valid and in use."] as const
}

const load = Effect.all({ current: configuration(), check: checkConfiguration() }, { concurrency: 2 })

/** The configuration file: what is in force, whether the file is valid now, and putting it in force. */
export const ConfigurationPage = () => {
  const loaded = useLoad(load, { every: "15 seconds" })
  const changes = useLoad(loadConfigurationChanges)
  const [reloaded, setReloaded] = useState<ConfigurationCheck>()
  const refresh = (after?: ConfigurationCheck) => {
    setReloaded(after)
    loaded.refresh()
    changes.refresh()
  }
  const isFile = loaded.value !== undefined && loaded.value.current.file !== null
  return (
    <Page
      title="Configuration"
      back={<Link to="/operator/health">Health</Link>}
      actions={
        isFile ? (
          <>
            <Button onClick={() => refresh()}>Check the file</Button>
            <ChangeButton
              label="Reload"
              may="reloadConfiguration"
              ask="an owner to reload it"
              kind="main"
              title="Reload the configuration"
              submit="Reload"
              run={() => reloadConfiguration()}
              onDone={refresh}
            >
              <p>New calls use the file as it is now. If it has an error, nothing changes.</p>
            </ChangeButton>
          </>
        ) : undefined
      }
    >
      <Loaded of={loaded} loading={<Skeleton lines={6} />}>
        {({ check, current }) => {
          const answer = reloaded ?? check
          const [kind, words] = verdictOf(answer, reloaded !== undefined)
          return (
            <>
              {isFile ? (
                <Notice kind={kind} title={words}>
                  <Problems of={answer.problems} />
                </Notice>
              ) : null}
              <CurrentConfiguration of={current} action={<Link to="/operator/prices">Models and prices</Link>} />
            </>
          )
        }}
      </Loaded>
      <Loaded of={changes} loading={<></>}>
        {({ trail }) => <ConfigurationChanges entries={trail} />}
      </Loaded>
    </Page>
  )
}
