import { Link } from "@tanstack/react-router"
import { Empty } from "../ui/Empty.tsx"
import { Page } from "../ui/Page.tsx"

export const MissingPage = () => (
  <Page title="There is no such page">
    <Empty title="The address may be misspelt, or of another version of the console">
      <Link to="/">Go to the overview</Link>
    </Empty>
  </Page>
)
