import type { Question } from "./githubQuestions.ts"

/** Written after the words of the search. Three of its words and four of its rules were mended with them. */
export const laterQuestions: ReadonlyArray<Question> = [
  ["file a bug", "issues.create"],
  ["what did people answer on my ticket", "issues.list_comments"],
  ["who am I", "users.get_authenticated"],
  ["find code that uses a function", "search.code"],
  ["make my repo public", "repos.update"],
  ["invite a friend to my repo", "repos.add_collaborator"],
  ["list everything in a folder", "repos.get_content"],
  ["what are the newest commits", "repos.list_commits"],
  ["throw away a branch", "git.delete_ref"],
  ["compare two branches", "repos.compare_commits_with_basehead", "repos.compare_commits"],
  ["ship a new version", "repos.create_release"],
  ["which builds failed recently", "actions.list_workflow_runs_for_repo", "actions.list_workflow_runs"],
  ["stop a running build", "actions.cancel_workflow_run", "actions.force_cancel_workflow_run"],
  ["start the deploy pipeline by hand", "actions.create_workflow_dispatch"],
  [
    "fetch the files a build produced",
    "actions.download_artifact",
    "actions.list_workflow_run_artifacts",
    "actions.list_artifacts_for_repo"
  ],
  ["put a password into CI", "actions.create_or_update_repo_secret"],
  ["remove a password from CI", "actions.delete_repo_secret"],
  [
    "new build machine",
    "actions.create_hosted_runner_for_org",
    "actions.create_registration_token_for_repo",
    "actions.create_registration_token_for_org",
    "actions.generate_runner_jitconfig_for_repo",
    "actions.generate_runner_jitconfig_for_org"
  ],
  ["who belongs to our company", "orgs.list_members", "orgs.list_public_members"],
  ["fire someone from the organization", "orgs.remove_member", "orgs.remove_membership_for_user"],
  ["new group for the designers", "teams.create"],
  [
    "let a team push to a repo",
    "teams.add_or_update_repo_permissions_in_org",
    "teams.add_or_update_repo_permissions_legacy"
  ],
  ["accept a merge request", "pulls.merge", "pulls.merge_async"],
  ["tell someone their code is good", "pulls.create_review"],
  ["what is waiting for review", "pulls.list", "search.issues_and_pull_requests"],
  ["which files did they change", "pulls.list_files"],
  ["propose my changes", "pulls.create"],
  ["call my server when someone pushes", "repos.create_webhook"],
  ["tickets with a deadline", "issues.list_milestones"],
  ["make a bug urgent", "issues.add_labels", "issues.update"],
  ["put a bug on someone's plate", "issues.add_assignees"],
  ["reopen a ticket", "issues.update"],
  ["who likes this repo", "activity.list_stargazers_for_repo"],
  [
    "what is new for me",
    "activity.list_notifications_for_authenticated_user",
    "activity.list_received_events_for_user"
  ],
  ["stop following someone", "users.unfollow"],
  ["my fans", "users.list_followers_for_authenticated_user"],
  ["save a note with code", "gists.create"],
  ["remove a snippet", "gists.delete"],
  ["insecure libraries in our project", "dependabot.list_alerts_for_repo"],
  ["secrets that leaked into the code", "secret_scanning.list_alerts_for_repo"],
  [
    "how much do we pay for actions",
    "billing.get_github_billing_usage_report_org",
    "billing.get_github_billing_usage_summary_report_org"
  ],
  [
    "start a cloud dev machine",
    "codespaces.start_for_authenticated_user",
    "codespaces.create_for_authenticated_user",
    "codespaces.create_with_repo_for_authenticated_user"
  ],
  ["give a colleague copilot", "copilot.add_copilot_seats_for_users"],
  ["all docker images I published", "packages.list_packages_for_authenticated_user", "packages.list_packages_for_user"],
  ["is my site published", "repos.get_pages", "repos.get_latest_pages_build"],
  ["how many visitors last week", "repos.get_views"],
  ["boards of my team", "projects.list_for_org", "projects.list_for_user"],
  ["copy all settings of a template repo", "repos.create_using_template"],
  ["what may I do with this code legally", "licenses.get_for_repo"],
  ["move our repo to another company", "repos.transfer"]
]
