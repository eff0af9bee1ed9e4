{{/* Everything that is wrong with the values, a line each with value and remedy; empty where nothing is. */}}
{{- define "tributary.problems" -}}
{{- $v := .Values }}
{{- $r := include "tributary.reckoned" . | fromYaml }}
{{- $memory := include "tributary.memory" . | fromYaml }}
{{- $whileAway := ternary " while another one is away" "" (gt (int $r.clientsWhileAway) (int $r.clientsPerNode)) }}
{{- $clustered := ne (include "tributary.clustered" .) "" }}
{{- $balancer := ne (include "tributary.balancer" .) "" }}
{{- $listeners := include "tributary.listeners" . | fromYaml }}
{{- $lb := $v.loadBalancer }}
{{- $p := list }}

{{- if and (eq $v.image.tag "latest") (not $v.image.digest) }}{{ $p = append $p "image.tag: latest is another image each day; name a version, or image.digest" }}{{ end }}
{{- if regexMatch "(:[^/]*|@.*)$" $v.image.repository }}{{ $p = append $p (printf "image.repository: %s has a tag or a digest; image.tag, or image.digest" $v.image.repository) }}{{ end }}
{{- range $name, $image := dict "loadBalancer.image" $lb.image "kafka.trial.image" $v.kafka.trial.image "redis.trial.image" $v.redis.trial.image "geographic.image" $v.geographic.image "test.image" $v.test.image }}
{{- if and $image (not (regexMatch "((^|/)[^/:@]+:[^/:@]+|@sha256:[0-9a-f]{64})$" $image)) }}{{ $p = append $p (printf "%s: %s has neither tag nor digest, which means latest, another image each day; name a version, such as %s:1.2.3" $name $image $image) }}{{ end }}
{{- if hasSuffix ":latest" $image }}{{ $p = append $p (printf "%s: %s is another image each day; name a version" $name $image) }}{{ end }}
{{- end }}
{{- $version := regexFind "(^|/)nginx(-unprivileged)?:[0-9]+[.][0-9]+([.][0-9]+)?" $lb.image | regexFind "[0-9.]+$" }}
{{- if and (eq $lb.kind "nginx") $version (semverCompare "<1.27.3" (ternary $version (print $version ".99") (eq (len (splitList "." $version)) 3))) }}{{ $p = append $p (printf "loadBalancer.image: %s cannot ask DNS for the nodes anew, which NGINX does from 1.27.3 on; such as nginx:1.29-alpine" $lb.image) }}{{ end }}
{{- range $name, $given := dict "resources" $v.resources "loadBalancer.resources" $lb.resources "kafka.strimzi.resources" $v.kafka.strimzi.resources "kafka.trial.resources" $v.kafka.trial.resources "redis.trial.resources" $v.redis.trial.resources "geographic.resources" $v.geographic.resources }}
{{- with include "tributary.badResources" (list $name $given) }}{{ $p = append $p . }}{{ end }}
{{- end }}
{{- if not (dig "limits" "memory" "" $v.resources) }}{{ $p = append $p "resources.limits.memory: is missing, and heap and direct memory are parts of it; such as 2Gi" }}
{{- else if lt (int $memory.limit) 512 }}{{ $p = append $p (printf "resources.limits.memory: %v is too little for a broker; at least 512Mi" (dig "limits" "memory" "" $v.resources)) }}
{{- else if lt (int $memory.heap) 64 }}{{ $p = append $p (printf "resources.limits.memory: %v leaves no heap with %d clients a node%s (expected.clients); %dMi would be enough" (dig "limits" "memory" "" $v.resources) (int $r.clientsWhileAway) $whileAway (int $memory.enough)) }}{{ end }}

{{- if $clustered }}
{{- if not $v.link.existingSecret }}{{ $p = append $p "link.existingSecret: is missing; the Secret by which nodes know each other: kubectl create secret generic link --from-literal=secret=$(openssl rand -base64 32)" }}{{ end }}
{{- if eq $v.kafka.kind "external" }}
{{- if not $v.kafka.external.bootstrapServers }}{{ $p = append $p "kafka.external.bootstrapServers: is missing; Kafka's addresses, such as kafka-1:9092,kafka-2:9092 (or kafka.kind: strimzi, or trial)" }}{{ end }}
{{- if and $v.kafka.external.sasl.mechanism (not $v.kafka.external.sasl.existingSecret) }}{{ $p = append $p (printf "kafka.external.sasl.existingSecret: is missing, and %s needs a password; the Secret that has it in `password`" $v.kafka.external.sasl.mechanism) }}{{ end }}
{{- if and (eq $v.kafka.external.sasl.mechanism "plain") (not $v.kafka.external.tls) }}{{ $p = append $p "kafka.external.tls: is false, and kafka.external.sasl.mechanism: plain would show the password to everybody on the way; set it, or take scram-sha-512" }}{{ end }}
{{- end }}
{{- $brokers := 0 }}
{{- if eq $v.kafka.kind "strimzi" }}{{ $brokers = int $v.kafka.strimzi.brokers }}{{ end }}
{{- if eq $v.kafka.kind "trial" }}{{ $brokers = int $v.kafka.trial.brokers }}{{ end }}
{{- if and $brokers (gt (int $v.kafka.replicationFactor) $brokers) }}{{ $p = append $p (printf "kafka.replicationFactor: %d copies need as many brokers, and kafka.%s.brokers is %d; lower the one or raise the other" (int $v.kafka.replicationFactor) $v.kafka.kind $brokers) }}{{ end }}
{{- if and (eq $v.redis.kind "external") (not $v.redis.external.nodes) }}{{ $p = append $p "redis.external.nodes: is missing; addresses of the Redis Cluster, such as redis-1:6379,redis-2:6379 (or redis.kind: trial)" }}{{ end }}
{{- end }}

{{- if not (include "tributary.daemon" .) }}
{{- $given := printf "%s: %d" (ternary "autoscaling.min" "replicas" $v.autoscaling.enabled) (int $r.nodes) }}
{{- if gt (int $r.for) (int $r.nodes) }}{{ $p = append $p (printf "expected.nodes: %d is more than %s; it is the fewest nodes that there will be" (int $r.for) $given) }}{{ end }}
{{- $before := int (include "tributary.reckonedBefore" . | default "0") }}
{{- if and $clustered (not $v.expected.nodes) (gt $before (int $r.nodes)) }}{{ $p = append $p (printf "%s, and what a node needs was reckoned for no fewer than %d; nothing was changed. First expected.nodes: %d alone, which exchanges the pods one by one, then both" $given $before (int $r.nodes)) }}{{ end }}
{{- end }}

{{- if not $listeners }}{{ $p = append $p "listeners: there is none, so nobody could connect; such as mqtts: {port: 8883, tls: {existingSecret: mqtt-tls}, authentication: [users]}" }}{{ end }}
{{- $ports := dict "9093" "health and metrics" "7883" "links between nodes" }}
{{- if $balancer }}{{ $_ := set $ports "8404" "the balancer's health" }}{{ end }}
{{- if and $balancer (eq $lb.policy "load") }}
{{- $port := toString (int $lb.agentPort) }}
{{- with get $ports $port }}{{ $p = append $p (printf "loadBalancer.agentPort: %s is the port of %s; take another" $port .) }}{{ end }}
{{- $_ := set $ports $port "loadBalancer.agentPort" }}
{{- end }}
{{- $open := list }}{{ $closed := list }}{{ $proxies := list }}
{{- range $name, $listener := $listeners }}
{{- $at := print "listeners." $name }}
{{- if not (regexMatch "^[a-z][a-z0-9]{0,14}$" $name) }}{{ $p = append $p (print $at ": is no name of a listener; a letter, then letters and digits, all small, 15 at most") }}{{ end }}
{{- if has $name (list "management" "link" "status" "alive") }}{{ $p = append $p (print $at ": is a name that the chart has for something of its own; take another") }}{{ end }}
{{- $port := toString (int $listener.port) }}
{{- if not (int $listener.port) }}{{ $p = append $p (print $at ".port: is missing; such as 8883") }}{{ end }}
{{- with get $ports $port }}{{ $p = append $p (printf "%s.port: %s is the port of %s; take another" $at $port .) }}{{ end }}
{{- $_ := set $ports $port $at }}
{{- if $listener.authentication }}{{ $closed = append $closed $name }}{{ else }}{{ $open = append $open $name }}{{ end }}
{{- if not $listener.acceptOpenListener }}
{{- if not $listener.tls.enabled }}{{ $p = append $p (print $at ".tls.enabled: is false, so passwords and messages could be read on the way; leave it out, or " $at ".acceptOpenListener: true") }}
{{- else if not $listener.secret }}{{ $p = append $p (print $at ".tls.existingSecret: is missing, so passwords and messages could be read on the way; the Secret with tls.crt and tls.key, or certificate.enabled: true, or " $at ".acceptOpenListener: true") }}{{ end }}
{{- if not $listener.authentication }}{{ $p = append $p (print $at ".authentication: is empty, so everybody who reaches the listener may connect; names of security.authenticators, or " $at ".acceptOpenListener: true") }}{{ end }}
{{- end }}
{{- range $listener.authentication }}
{{- if not (hasKey $v.security.authenticators .) }}{{ $p = append $p (printf "%s.authentication: %s is no authenticator; define security.authenticators.%s, such as {kind: store}" $at . .) }}{{ end }}
{{- end }}
{{- if and (ne $listener.tls.clientCertificates "none") (not $listener.secret) }}{{ $p = append $p (print $at ".tls.clientCertificates: needs TLS; set " $at ".tls.existingSecret") }}{{ end }}
{{- if $listener.proxy }}{{ $proxies = append $proxies $name }}{{ end }}
{{- if and $listener.proxy (eq $lb.kind "none") (not $lb.trusted) }}{{ $p = append $p (print $at ".proxyProtocol: is true, and loadBalancer.trusted is empty; the addresses of the balancers, such as [10.0.0.0/16]") }}{{ end }}
{{- if and $listener.ended (eq $lb.kind "nginx") (ne $listener.tls.clientCertificates "none") }}{{ $p = append $p (print "loadBalancer.tls: ended, and NGINX cannot pass on the names in client certificates (" $at ".tls.clientCertificates); take passed, or haproxy") }}{{ end }}
{{- if and $balancer (eq $lb.policy "client-id") $listener.broker }}{{ $p = append $p (print "loadBalancer.policy: client-id, and the balancer cannot see it within TLS (" $at "); take loadBalancer.tls: ended, or another policy") }}{{ end }}
{{- if and $balancer (eq $lb.policy "client-id") (eq $listener.kind "websocket") }}{{ $p = append $p (print "loadBalancer.policy: client-id, and the balancer cannot see it within WebSocket (" $at "); take another policy") }}{{ end }}
{{- end }}
{{- if and $open $closed }}{{ $p = append $p (printf "listeners.%s.authentication: is empty beside %s; who may connect without a password may do so at all listeners, so give it authenticators, too" (first $open) (join ", " $closed)) }}{{ end }}

{{- if and (ne $lb.kind "none") $proxies (not $lb.trusted) }}{{ $p = append $p (printf "loadBalancer.trusted: is missing; with %s each connection says whose it is, and only the balancer may: %s, such as [10.0.0.0/16]" $lb.kind (ternary "the subnets of the VPC" "the network of the pods" (eq $lb.kind "nlb"))) }}{{ end }}
{{- if and (eq $lb.kind "nlb") (not $proxies) $v.networkPolicy.enabled (not $lb.trusted) }}{{ $p = append $p "loadBalancer.trusted: is missing, and networkPolicy.enabled keeps from port 9093 who is not named, so no node would pass the NLB's health checks; the subnets of the VPC, such as [10.0.0.0/16]" }}{{ end }}
{{- range $lb.trusted }}
{{- $byte := "(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])" }}
{{- $v4 := printf "(%s[.]){3}%s(/([12]?[0-9]|3[0-2]))?" $byte $byte }}
{{- $v6 := "[0-9a-fA-F:]*:[0-9a-fA-F]*(/([1-9]?[0-9]|1[01][0-9]|12[0-8]))?" }}
{{- if not (regexMatch (printf "^(%s|%s)$" $v4 $v6) .) }}{{ $p = append $p (printf "loadBalancer.trusted: %s is no address and no range of addresses; such as 10.0.0.0/16" .) }}
{{- else if regexMatch "/[0-7]$" . }}{{ $p = append $p (printf "loadBalancer.trusted: %s is everybody, or nearly, who could then name any address as a client's; the balancer's subnets, /8 at least" .) }}{{ end }}
{{- end }}
{{- if and (ne $lb.kind "none") $proxies (ne (len $proxies) (len $listeners)) (eq $lb.kind "nlb") }}{{ $p = append $p (printf "listeners: %s have proxyProtocol and others do not, and an NLB's Service has one setting for all; make it the same" (join ", " $proxies)) }}{{ end }}
{{- if and (eq $lb.kind "nlb") (gt (int $r.idleTimeout) 6000) }}{{ $p = append $p (printf "expected.keepAlive: %s needs an idle timeout of %d s, and an NLB has 6000 s at most; 4000s at most" $v.expected.keepAlive (int $r.idleTimeout)) }}{{ end }}
{{- if gt (int $r.maxKeepAlive) 65535 }}{{ $p = append $p (printf "expected.keepAlive: %s is more than MQTT can say; 65535s at most" $v.expected.keepAlive) }}{{ end }}
{{- if and (eq $lb.policy "load") (eq $lb.kind "nginx") }}{{ $p = append $p "loadBalancer.policy: load, which NGINX's free edition cannot do; take haproxy, or least-connections" }}{{ end }}
{{- if and (eq $v.form "node") (or $balancer (and (ne $lb.kind "none") (include "tributary.alone" .))) }}{{ $p = append $p (printf "loadBalancer.kind: %s, and form: node has clients connect to machines; take none" $lb.kind) }}{{ end }}
{{- if and (include "tributary.alone" .) $v.expected.nodes }}{{ $p = append $p (printf "expected.nodes: %d, and each machine has a broker of its own; expected.clients is what each is to have, so leave it out" (int $v.expected.nodes)) }}{{ end }}
{{- if $balancer }}
{{- $b := include "tributary.balancing" . | fromYaml }}
{{- $limit := dig "limits" "memory" (dig "requests" "memory" "" $lb.resources) $lb.resources }}
{{- if and $limit (lt (include "tributary.mebibytes" $limit | int) (int $b.memory)) }}{{ $p = append $p (printf "loadBalancer.resources.limits.memory: %v is less than the %dMi that %s needs for %d clients a pod while another one is away (expected.clients, loadBalancer.replicas), with %d workers and a reload; leave it out, and so much is taken" $limit (int $b.memory) $lb.kind (int $b.clients) (int $b.workers)) }}{{ end }}
{{- $toNode := ceil (divf $b.clients (max 1 (sub $r.for 1))) | int }}
{{- if gt $toNode 60000 }}{{ $p = append $p (printf "loadBalancer.replicas: %d has a pod connect %d clients to one node while another pod and another node are away, and it has about 60000 ports for that; %d at least, or more nodes" (int $lb.replicas) $toNode (add 1 (ceil (divf $v.expected.clients (mul 60000 (max 1 (sub $r.for 1)))) | int))) }}{{ end }}
{{- end }}
{{- if and $balancer (eq $lb.tls "ended") (not (include "tributary.anyEnded" .)) }}{{ $p = append $p "loadBalancer.tls: ended, and no listener has a certificate; set listeners.NAME.tls.existingSecret" }}{{ end }}
{{- if gt (int $r.serveFor) 3600 }}{{ $p = append $p (printf "loadBalancer.deregistration: %s is more than the 3600s that an NLB can wait, or a node that is drained; less, such as 150s" $lb.deregistration) }}{{ end }}
{{- range $name, $value := $lb.annotations }}
{{- if contains "deregistration_delay.timeout_seconds" $value }}{{ $p = append $p (printf "loadBalancer.annotations.%s: has deregistration_delay.timeout_seconds, for which a node has to go on serving; use loadBalancer.deregistration" $name) }}{{ end }}
{{- end }}
{{- if and $lb.sources (ne (include "tributary.serviceType" .) "LoadBalancer") }}{{ $p = append $p (printf "loadBalancer.sources: have no effect with a Service of the type %s; leave them out, or loadBalancer.serviceType: LoadBalancer" (include "tributary.serviceType" .)) }}{{ end }}
{{- if and (eq $lb.kind "nlb") (ne $lb.serviceType "") (ne $lb.serviceType "LoadBalancer") }}{{ $p = append $p (printf "loadBalancer.serviceType: %s, and an NLB is made for LoadBalancer alone; leave it out" $lb.serviceType) }}{{ end }}

{{- $asked := and $balancer (or (eq $lb.kind "haproxy") (eq $lb.policy "client-id")) }}
{{- if and (eq $v.drain.by "sleep") $asked }}{{ $p = append $p (printf "drain.by: sleep, which tells the node nothing, and %s asks the node itself whether it is ready, so clients would go on coming until the stop; take command, or none" $lb.kind) }}{{ end }}
{{- if and (eq $v.drain.by "command") (not $v.security.firstAdministrator.existingSecret) $clustered }}{{ $p = append $p (printf "security.firstAdministrator.existingSecret: is missing, and a drain needs its token: kubectl create secret generic admin --from-literal=token=admin:$(openssl rand -hex 32), or drain.by: %s" (ternary "none" "sleep" $asked)) }}{{ end }}
{{- if or (lt (int $r.stopTimeout) 1) (gt (int $r.stopTimeout) 3600) }}{{ $p = append $p (printf "drain.stopTimeout: %s is not between 1s and 1h, which a node takes; such as 20s" $v.drain.stopTimeout) }}{{ end }}
{{- with $v.drain.terminationGracePeriodSeconds }}
{{- if lt (int .) (int $r.gracePeriod) }}{{ $p = append $p (printf "drain.terminationGracePeriodSeconds: %d is too short: %d s until the balancer knows, %d clients at most a node at %d a second, %d s to stop, and 30 s; leave it out, or %d at least" (int .) (int $r.serveFor) (int $r.maxConnections) (int $v.drain.rate) (int $r.stopTimeout) (int $r.gracePeriod)) }}{{ end }}
{{- end }}

{{- $pdb := toString $v.podDisruptionBudget.maxUnavailable }}
{{- if and $v.podDisruptionBudget.enabled (has $pdb (list "0" "0%")) }}{{ $p = append $p "podDisruptionBudget.maxUnavailable: 0 leaves no room: no machine could ever be drained; 1, or podDisruptionBudget.enabled: false" }}{{ end }}
{{- if and $v.podDisruptionBudget.enabled $clustered (hasSuffix "%" $pdb) (gt (int $r.nodes) 1) (gt (mul (trimSuffix "%" $pdb | int) (int $r.nodes)) (mul 100 (sub (int $r.nodes) 1))) }}{{ $p = append $p (printf "podDisruptionBudget.maxUnavailable: %s of %d nodes, rounded up, would let all of them go at once; less, such as 1" $pdb (int $r.nodes)) }}{{ end }}
{{- if and $v.podDisruptionBudget.enabled $clustered (regexMatch "^[0-9]+$" $pdb) (gt (int $r.nodes) 1) (ge (int $pdb) (int $r.nodes)) }}{{ $p = append $p (printf "podDisruptionBudget.maxUnavailable: %s of %d nodes would let all of them go at once; fewer, such as 1" $pdb (int $r.nodes)) }}{{ end }}

{{- if $v.autoscaling.enabled }}
{{- if and $v.replicas (ne (int $v.replicas) (int $v.autoscaling.min)) }}{{ $p = append $p (printf "replicas: %d is fixed, and autoscaling.enabled would change it; leave it out, or make it autoscaling.min (%d)" (int $v.replicas) (int $v.autoscaling.min)) }}{{ end }}
{{- if gt (int $v.autoscaling.min) (int $v.autoscaling.max) }}{{ $p = append $p (printf "autoscaling.min: %d is more than autoscaling.max: %d" (int $v.autoscaling.min) (int $v.autoscaling.max)) }}{{ end }}
{{- if not (or $v.autoscaling.cpu $v.autoscaling.memory $v.autoscaling.connections) }}{{ $p = append $p "autoscaling: has nothing to go by; set autoscaling.cpu, memory or connections" }}{{ end }}
{{- /* An autoscaler does nothing below 1.1 times its target. Settings of a listener's own may say another number. */}}
{{- $room := mul (int $r.maxConnections) (len $listeners) }}
{{- $reckoned := not (contains "max-connections" (toJson $v.listeners)) }}
{{- if and $listeners $reckoned (gt (mul 11 (int $v.autoscaling.connections)) (mul 10 $room)) }}{{ $p = append $p (printf "autoscaling.connections: %d are hardly reached, since a node takes %d at most (1.5 times expected.clients a node and listener), and refuses more; such as %d, or more expected.clients" (int $v.autoscaling.connections) (int $room) (int $r.clientsPerNode)) }}{{ end }}
{{- if and $v.autoscaling.cpu (not (dig "requests" "cpu" "" $v.resources)) }}{{ $p = append $p "resources.requests.cpu: is missing, and autoscaling.cpu is a share of it" }}{{ end }}
{{- if and (eq $v.autoscaling.by "keda") $v.autoscaling.connections (not $v.autoscaling.prometheus) }}{{ $p = append $p "autoscaling.prometheus: is missing, where KEDA asks for connections; such as http://prometheus.monitoring:9090" }}{{ end }}
{{- if eq $v.form "node" }}{{ $p = append $p "autoscaling.enabled: form: node has a broker a machine; leave it out" }}{{ end }}
{{- if and $v.autoscaling.rebalance (not $v.security.firstAdministrator.existingSecret) }}{{ $p = append $p "autoscaling.rebalance: needs a token; set security.firstAdministrator.existingSecret" }}{{ end }}
{{- if and $v.autoscaling.rebalance (not (include "tributary.tlsSecret" (list $ "management"))) }}{{ $p = append $p (printf "autoscaling.rebalance: would send the administrators' token over the network in plain words, which `tributary rebalance` refuses; set management.tls.existingSecret, a certificate that names %s, or certificate.management, or leave it out" (include "tributary.apiService" .)) }}{{ end }}
{{- end }}

{{- if and (eq $v.form "node") (eq $v.node.mode "standalone") (not $v.node.everyMachine) (gt (int $r.nodes) 1) }}{{ $p = append $p (printf "replicas: %d brokers that stand alone behind one Service would not know each other's clients; 1, or form: clustered" (int $r.nodes)) }}{{ end }}
{{- if and (include "tributary.daemon" .) $v.replicas }}{{ $p = append $p "replicas: has no effect with node.everyMachine, where there is one a machine; leave it out, and choose machines by nodeSelector" }}{{ end }}
{{- if eq $v.form "geographic" }}
{{- if not $v.geographic.region }}{{ $p = append $p "geographic.region: is missing; the name of this region, such as eu" }}{{ end }}
{{- $regions := list }}
{{- range $v.geographic.from }}
{{- $at := print "geographic.from: " .region }}
{{- if eq .region $v.geographic.region }}{{ $p = append $p (print $at " is this region itself; name the others") }}{{ end }}
{{- if has .region $regions }}{{ $p = append $p (print $at " is there twice; all its topics in one entry, with commas between") }}{{ end }}
{{- $regions = append $regions .region }}
{{- if and (eq (dig "sasl" "mechanism" "" .) "plain") (not .tls) }}{{ $p = append $p (print $at " has sasl.mechanism: plain without tls, which would show the password to everybody on the way; set tls, or take scram-sha-512") }}{{ end }}
{{- end }}
{{- if and $v.geographic.from (not $v.geographic.ingest) }}{{ $p = append $p (printf "geographic.ingest: is empty, so nobody would publish what is copied from %s; such as [%s.tributary.app.across]" (first $regions) (first $regions)) }}{{ end }}
{{- if and $v.geographic.from (eq (get $v.kafka.clientProperties "sasl.mechanism" | toString) "AWS_MSK_IAM") }}{{ $p = append $p "geographic.from: MirrorMaker's image cannot log in by kafka.clientProperties sasl.mechanism: AWS_MSK_IAM; run a MirrorMaker of your own (from: []), or use SCRAM" }}{{ end }}
{{- range $key, $value := $v.geographic.properties }}
{{- if regexMatch "(transforms|predicates)(\\.|$)" $key }}{{ $p = append $p (printf "geographic.properties.%s: would take the place of the filter that keeps messages from coming back; leave it out, or copy with a MirrorMaker of your own" $key) }}{{ end }}
{{- end }}
{{- range $topic := $v.geographic.ingest }}
{{- if hasPrefix (print $v.geographic.region ".") $topic }}{{ $p = append $p (printf "geographic.ingest: %s comes from this region itself, and would go round for ever; topics of other regions" $topic) }}
{{- else if and $regions (not (has (first (splitList "." $topic)) $regions)) }}{{ $p = append $p (printf "geographic.ingest: %s begins with no region of geographic.from (%s), so nobody would copy it; such as %s.%s" $topic (join ", " $regions) (first $regions) $topic) }}{{ end }}
{{- end }}
{{- end }}

{{- $policies := $v.networkPolicy }}
{{- if and $policies.enabled (not $policies.egress) }}
{{- $out := "networkPolicy.egress: is empty, so nodes would not reach %s; such as [{ports: [{port: 443}]}], or networkPolicy.enabled: false" }}
{{- range include "tributary.leaves" (list "security.authenticators" $v.security.authenticators) | fromJsonArray }}
{{- if and (regexMatch "[.](keys|url)$" .at) (regexMatch "^[a-z]+://" (toString .value)) }}{{ $p = append $p (printf $out (printf "%s (%s)" .value .at)) }}{{ end }}
{{- end }}
{{- if and $clustered (eq (get $v.kafka.clientProperties "sasl.mechanism" | toString) "AWS_MSK_IAM") }}{{ $p = append $p (printf $out "AWS, which AWS_MSK_IAM asks for its credentials (kafka.clientProperties.sasl.mechanism)") }}{{ end }}
{{- end }}
{{- if gt (include "tributary.seconds" $v.monitoring.interval | int) 60 }}{{ $p = append $p (printf "monitoring.interval: %s is more than 60s, and alerts that look at two minutes would never fire; 60s at most" $v.monitoring.interval) }}{{ end }}
{{- if and $policies.enabled (not $policies.monitoringNamespace) (not $policies.management) }}
{{- range $name, $asked := dict "monitoring.serviceMonitor" $v.monitoring.serviceMonitor "monitoring.podMonitor" $v.monitoring.podMonitor "autoscaling.connections" (and $v.autoscaling.enabled $v.autoscaling.connections) }}
{{- if $asked }}{{ $p = append $p (printf "networkPolicy.monitoringNamespace: is missing, so Prometheus would not reach the nodes (%s); its namespace, such as monitoring, or who it is in networkPolicy.management, or networkPolicy.enabled: false" $name) }}{{ end }}
{{- end }}
{{- end }}

{{- range $name, $listener := $listeners }}
{{- if and $v.gateway.enabled $listener.secret (not $v.gateway.hostnames) }}{{ $p = append $p (printf "gateway.hostnames: is missing, and the TLSRoute of listeners.%s goes by the name that clients ask for; such as [mqtt.example.com]" $name) }}{{ end }}
{{- end }}
{{- if and $v.gateway.enabled (not $v.gateway.parentRefs) }}{{ $p = append $p "gateway.parentRefs: is missing; the gateway, such as [{name: public, namespace: gateways}]" }}{{ end }}
{{- $inside := or $v.certificate.management $v.certificate.link }}
{{- if and (not $v.certificate.issuerRef.name) (or $v.certificate.enabled (and $inside (not $v.certificate.insideIssuerRef.name))) }}{{ $p = append $p "certificate.issuerRef.name: is missing; cert-manager's issuer" }}{{ end }}
{{- if and $v.certificate.enabled (not $v.certificate.dnsNames) }}{{ $p = append $p "certificate.dnsNames: is missing; the names that clients use, such as [mqtt.example.com]" }}{{ end }}
{{- if and $v.security.seed.existingConfigMap $v.security.seed.existingSecret }}{{ $p = append $p "security.seed: has a ConfigMap and a Secret; one of them" }}{{ end }}
{{- $p = concat $p (include "tributary.plainSecrets" . | fromJsonArray) (include "tributary.overridden" . | fromJsonArray) }}
{{- if not $p }}
{{- $bytes := include "tributary.settings" . | len }}
{{- if gt $bytes 250000 }}{{ $p = append $p (printf "settings, security and listeners: make a tributary.yaml of %d bytes, and the annotations of a pod, which it is one of, have 256 KiB in all; 250000 at most: rules into security.seed, or over the API" $bytes) }}{{ end }}
{{- end }}

{{- $old := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "tributary.name" .) }}
{{- if and $old (not (include "tributary.daemon" .)) }}
{{- $name := include "tributary.name" . }}
{{- $anew := printf "; nothing was changed. To go on: kubectl -n %s delete statefulset %s --cascade=orphan, which leaves its pods running, then the same command again" .Release.Namespace $name }}
{{- if ne $old.spec.serviceName (print $name "-nodes") }}{{ $p = append $p (printf "the StatefulSet %s that is there has the service %s, which cannot be changed%s" $name $old.spec.serviceName $anew) }}{{ end }}
{{- if ne (default "OrderedReady" $old.spec.podManagementPolicy) "Parallel" }}{{ $p = append $p (printf "the StatefulSet %s that is there has another podManagementPolicy, which cannot be changed%s" $name $anew) }}{{ end }}
{{- $shards := dig "annotations" "tributary.io/shards" "" $old.metadata }}
{{- if and $clustered $shards (ne $shards (toString (int $v.cluster.shards))) (gt (int $old.spec.replicas) 0) }}{{ $p = append $p (printf "cluster.shards: %d, and this cluster has %s, which `tributary cluster reshard` changes while no node runs; set it back, or call `tributary upgrade finish` where a version is not finished, scale the StatefulSet to 0 and do that first" (int $v.cluster.shards) $shards) }}{{ end }}
{{- end }}
{{- $claims := include "tributary.claims" (list (ternary "" $v.node.storage $clustered) $v.node.storageClass) }}
{{- $fixed := list (list . (ternary "DaemonSet" "StatefulSet" (ne (include "tributary.daemon" .) "")) "broker" "" "node" $claims) (list . "Deployment" "balancer" "-balancer") (list . "Deployment" "mirror" "-mirror") }}
{{- range $name, $one := dict "kafka" $v.kafka "redis" $v.redis }}
{{- if and $clustered (eq $one.kind "trial") }}{{ $fixed = append $fixed (list $ "StatefulSet" $name (print "-" $name) (print $name ".trial") (include "tributary.claims" (list $one.trial.storage $one.trial.storageClass))) }}{{ end }}
{{- end }}
{{- range $fixed }}{{ with include "tributary.fixed" . }}{{ $p = append $p . }}{{ end }}{{ end }}
{{- join "\n" $p }}
{{- end }}

{{/*
What is wrong where a resource that is there cannot become what the values ask for, since Kubernetes changes neither selectors nor claims:
(list ROOT KIND COMPONENT SUFFIX), and for a StatefulSet the name of the values and the claims. Empty where nothing is.
*/}}
{{- define "tributary.fixed" -}}
{{- $root := index . 0 }}
{{- $kind := index . 1 }}
{{- $name := print (include "tributary.name" $root) (index . 3) }}
{{- with lookup "apps/v1" $kind $root.Release.Namespace $name }}
{{- $anew := printf "which cannot be changed; nothing was changed. To go on: kubectl -n %s delete %s %s --cascade=orphan, which leaves its pods running, then the same command again" $root.Release.Namespace (lower $kind) $name }}
{{- if ne (toJson .spec.selector.matchLabels) (include "tributary.selector" (list $root (index $ 2)) | fromYaml | toJson) }}the {{ $kind }} {{ $name }} that is there selects other pods, {{ $anew }}
{{- else if eq $kind "StatefulSet" }}
{{- $wanted := include "tributary.volume" (index $ 5 | fromYaml) }}
{{- $is := include "tributary.volume" .spec }}
{{- if ne $wanted $is }}{{ index $ 4 }}.storage and .storageClass: ask for {{ $wanted }}, and the StatefulSet {{ $name }} that is there has {{ $is }}, {{ $anew }}. A volume that is there stays as it is, and grows by its claim: kubectl -n {{ $root.Release.Namespace }} patch pvc data-{{ $name }}-0{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* A sentence for each secret that stands in the values itself: by the last word of its name, or within a text. A list. */}}
{{- define "tributary.plainSecrets" -}}
{{- $v := .Values }}
{{- $p := list }}
{{- $places := dict "settings" $v.settings "security.authenticators" $v.security.authenticators "kafka.clientProperties" $v.kafka.clientProperties "geographic.properties" $v.geographic.properties "jvmOptions" $v.jvmOptions "extraEnv" $v.extraEnv "extraContainers" $v.extraContainers "extraInitContainers" $v.extraInitContainers }}
{{- range $name, $listener := $v.listeners }}{{ $_ := set $places (printf "listeners.%s.settings" $name) (get (default dict $listener) "settings") }}{{ end }}
{{- $remedies := dict "kafka.clientProperties" "kafka.external.sasl.existingSecret, or a file of security.secretMounts" "geographic.properties" "geographic.from with sasl.existingSecret" "extraEnv" "valueFrom.secretKeyRef" "extraContainers" "valueFrom.secretKeyRef" "extraInitContainers" "valueFrom.secretKeyRef" }}
{{- range $place, $values := $places }}
{{- $found := list }}
{{- range include "tributary.leaves" (list $place $values) | fromJsonArray }}
{{- $key := last (splitList "." .at) }}
{{- $text := ternary "" (toString .value) (kindIs "invalid" .value) }}
{{- $secret := contains "PRIVATE KEY-----" $text }}
{{- if and (regexMatch "(?i)password|secret|token" $key) $text (not (has (kindOf .value) (list "bool" "map" "slice"))) }}
{{- $path := and (regexMatch "(?i)file$" $key) (regexMatch "^(file:|[.]{0,2}/)" $text) }}
{{- if not (or $path (regexMatch "^[$][{].+[}]$" $text) (regexMatch "(?i)(existingSecret|secretName)$" $key)) }}{{ $secret = true }}{{ end }}
{{- end }}
{{- range regexFindAll "(?i)(password|secret|token)[a-z0-9._-]*\\s*=\\s*[\"']?\\S" $text -1 }}
{{- if not (or (regexMatch "(?i)file\\s*=" .) (hasSuffix "$" .)) }}{{ $secret = true }}{{ end }}
{{- end }}
{{- if $secret }}{{ $found = append $found .at }}{{ end }}
{{- end }}
{{- range uniq $found }}{{ $p = append $p (printf "%s: a secret in plain words, which all see who may read ConfigMaps or pods; use %s" . (get $remedies $place | default "a file of security.secretMounts")) }}{{ end }}
{{- end }}
{{- toJson $p }}
{{- end }}

{{/* A sentence for each setting that would take the place of what the chart reckons with, or checks, whatever way it is written. A list. */}}
{{- define "tributary.overridden" -}}
{{- $p := list }}
{{- $keepAlive := dict "limits.connect.maxkeepalive" "expected.keepAlive" }}
{{- $places := dict "settings" (merge (dict "stoptimeout" "drain.stopTimeout" "stop.drainrate" "drain.rate" "cluster.shards" "cluster.shards" "security.anonymous" "listeners.NAME.authentication, and acceptOpenListener" "listeners" "listeners.NAME, or listeners.NAME.settings") $keepAlive) }}
{{- $values := dict "settings" .Values.settings }}
{{- range $name, $listener := .Values.listeners }}
{{- $at := printf "listeners.%s.settings" $name }}
{{- $_ := set $values $at (get (default dict $listener) "settings") }}
{{- $_ := set $places $at (merge (dict "tls" (printf "listeners.%s.tls" $name) "authentication" (printf "listeners.%s.authentication" $name)) $keepAlive) }}
{{- end }}
{{- range $place, $instead := $places }}
{{- range include "tributary.leaves" (list $place (get $values $place)) | fromJsonArray }}
{{- $at := .at }}
{{- $name := regexReplaceAll "[_-]" (trimPrefix (print $place ".") $at | lower) "" }}
{{- range $key, $value := $instead }}
{{- if hasPrefix (print $key ".") (print $name ".") }}{{ $p = append $p (printf "%s: would win over what the chart reckons with, or checks; use %s" $at $value) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson (uniq $p) }}
{{- end }}

{{- define "tributary.anyEnded" -}}
{{- range $name, $listener := include "tributary.listeners" . | fromYaml }}{{ if $listener.ended }}true{{ end }}{{ end }}
{{- end }}
