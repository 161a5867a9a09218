/** What interfaces do, and what people say who want it. */
export const spokenActions = `
create: begin build raise spin provision establish launch generate craft compose produce prepare initialize init found file report log draft
add: append include put join attach enroll onboard introduce bring give grant assign
invite: ask recruit onboard
update: adjust alter correct fix amend revise tweak refresh switch toggle close reopen archive hide unhide convert make turn reword postpone extend shorten retitle reschedule promote demote upgrade downgrade resize boost finish complete resolve handle
rename: call retitle
delete: wipe purge discard trash uninstall eliminate scrap erase clear forget nuke
remove: kick fire expel evict unlink detach exclude dismiss leave strip withdraw undo
list: overview inventory everything catalog enumerate
get: inspect examine open load display print pull
check: verify test confirm validate whether status green red result passing
search: grep hunt locate discover find explore scan
download: grab save export pull fetch
upload: send submit attach import push
send: deliver submit dispatch transmit
resend: retry redeliver again repeat
redeliver: resend retry again
rerun: retry again repeat restart
run: again restart execute launch kick build pipeline execution ci
cancel: abort stop kill halt interrupt quit withdraw retract recall undo
stop: shut halt pause off down
start: boot wake resume begin
enable: activate allow permit on
disable: deactivate forbid off prevent
lock: freeze stop prevent
unlock: unfreeze
block: ban stop blacklist mute troll spam spammer harass
approve: allow let accept ok lgtm
dismiss: discard reject outdated stale ignore irrelevant close false
merge: squash combine integrate land join rebase
sync: synchronize mirror refresh catch
transfer: hand move reassign ownership
publish: ship release share post
deploy: ship rollout release production staging live
compare: diff difference change between versus vs against
assign: give responsible
watch: subscribe follow notify
star: like favorite bookmark love
render: convert html format preview look display
convert: turn transform
fork: copy duplicate own
import: migrate bring move svn
dispatch: fire trigger manual start
revoke: invalidate void expire withdraw logout kill disable
attach: add apply bind
generate: automatic automatically auto
pin: highlight stick top keep important
ping: test try works working alive
bypass: skip override exempt avoid circumvent
restore: revive rescue back undelete
suspend: pause freeze temporarily hold
unsuspend: resume unpause reactivate
reset: renew rotate regenerate
decline: reject refuse no thanks
accept: agree yes join
detach: disconnect unbind
export: dump backup save
rerequest: rerun retry
mark: flag
install: set
setup: configure
reprioritize: reorder order sort above rank
enforce: force must
`
