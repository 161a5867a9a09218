import { checkConfiguration, configuration, reloadConfiguration } from "@tollgate/client/admin"
import { Link } from "@tanstack/react-router"
import type { Configuration, ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import { useLoad } from "@tollgate/react/effect"
import { useState } from "react"
import { ChangeButton, useChange } from "../../../ui/ChangeButton.tsx"
import { Button, Card, ErrorNotice, Facts, Loaded, Notice, Page, Skeleton, Tag } from "../../../ui/kit.tsx"
import { ago, fullTime, useNow } from "../../../ui/times.ts"
import styles from "../operator.module.css"

interface VerdictProps {
  readonly of: "check" | "reload"
  readonly answer: ConfigurationCheck
}

const words = ({ answer: { in_force: inForce, needs_restart: waiting, valid }, of }: VerdictProps): string => {
  if (!valid) return "The file has errors. The gateway keeps the old configuration."
  if (waiting !== undefined && of === "reload") {
    return `The file is in use, except ${waiting.join(", ")}. Restart the gateways to apply the rest.`
  }
  if (of === "reload") return inForce ? "The new file is in use." : "The file is valid but not in use."
  return inForce ? "The file is valid and in use." : "The file is valid. Reload to use it."
}

const Verdict = (props: VerdictProps) => (
  <Notice kind={props.answer.valid ? "good" : "bad"} title={words(props)}>
    {props.answer.problems.length === 0 ? null : (
      <ul className={styles.problems}>
        {props.answer.problems.map((problem) => (
          <li key={problem} className="mono">
            {problem}
          </li>
        ))}
      </ul>
    )}
  </Notice>
)

const InForce = ({ configuration }: { readonly configuration: Configuration }) => {
  const now = useNow(1_000)
  const { file, loaded_at: at, sandbox, upstreams, version } = configuration
  return (
    <>
      {file === null ? (
        <Notice title="The gateway runs on its defaults">
          <p>
            Start it with <code>TOLLGATE_CONFIG=tollgate.jsonc</code> to set prices and upstreams in a file.
          </p>
        </Notice>
      ) : null}
      <Card title="Current">
        <Facts
          of={[
            ["Version", version],
            ["File", <span className="mono">{file ?? "none"}</span>],
            [
              "Loaded",
              <>
                <time dateTime={at}>{fullTime(at)}</time> <span className="soft">({ago(at, now)})</span>
              </>
            ],
            ["Upstreams", upstreams.length === 0 ? <span className="soft">none</span> : upstreams.join(", ")],
            [
              "Sandbox",
              sandbox ? (
                <>
                  <Tag kind="warn">On</Tag> <span className="soft">It answers what no upstream serves.</span>
                </>
              ) : (
                <Tag>Off</Tag>
              )
            ]
          ]}
        />
      </Card>
    </>
  )
}

const load = configuration()

/** The configuration file: what is in force, whether the file is valid now, and putting it in force. */
export const ConfigurationPage = () => {
  const loaded = useLoad(load, { every: "15 seconds" })
  const check = useChange()
  const [verdict, setVerdict] = useState<VerdictProps>()
  const told = (of: VerdictProps["of"]) => (answer: ConfigurationCheck) => {
    setVerdict({ of, answer })
    loaded.refresh()
  }
  return (
    <Page
      title="Configuration"
      back={<Link to="/operator/health">Health</Link>}
      lead="Edit the file, check it here, then reload."
      actions={
        loaded.value?.file == null ? undefined : (
          <>
            <Button
              busy={check.busy}
              disabled={check.busy}
              onClick={() => check.run(checkConfiguration(), told("check"))}
            >
              Check the file
            </Button>
            <ChangeButton
              label="Reload"
              may="reloadConfiguration"
              ask="an owner to reload it"
              kind="main"
              title="Reload the configuration"
              submit="Reload"
              run={() => reloadConfiguration()}
              onDone={told("reload")}
            >
              <p>New calls use the file as it is now. Calls under way finish with the old configuration.</p>
              <p>If the file has an error, nothing changes.</p>
            </ChangeButton>
          </>
        )
      }
    >
      {check.error === undefined ? null : <ErrorNotice error={check.error} />}
      {verdict === undefined ? null : <Verdict {...verdict} />}
      <Loaded of={loaded} loading={<Skeleton lines={4} />}>
        {(configuration) => <InForce configuration={configuration} />}
      </Loaded>
    </Page>
  )
}
